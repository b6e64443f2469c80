import type { FailureKind } from '../errors.ts';
import { StateError } from '../errors.ts';

interface Verdict {
  readonly kind: FailureKind;
  readonly problem: string;
  readonly remedy: string;
}

const FULL: Verdict = {
  kind: 'unavailable',
  problem: 'no space left',
  remedy: 'free space on the disk that --state names; what was stored before is unharmed',
};

const DENIED: Verdict = {
  kind: 'forbidden',
  problem: 'permission denied',
  remedy: 'give this user the right to write the file of --state and the folder around it',
};

const VERDICTS: Readonly<Record<string, Verdict>> = {
  EACCES: DENIED,
  EPERM: DENIED,
  EROFS: { ...DENIED, problem: 'the file system is read-only' },
  EISDIR: {
    kind: 'misconfigured',
    problem: 'it is a folder',
    remedy: 'name a file in --state, such as state.json in that folder',
  },
  ENOENT: {
    kind: 'misconfigured',
    problem: 'the folder does not exist',
    remedy: 'create the folder that --state names, or mount it',
  },
  ENOTDIR: {
    kind: 'misconfigured',
    problem: 'a part of the path is not a folder',
    remedy: 'correct the path of --state',
  },
  ENOSPC: FULL,
  EDQUOT: FULL,
  EFBIG: FULL,
};

/** @param doing what was being done to the file, such as `reading`. */
export function classifyFileError(error: unknown, doing: string, path: string): StateError {
  const code = error instanceof Error && 'code' in error ? String(error.code) : 'no code';
  const verdict = VERDICTS[code] ?? {
    kind: 'unavailable',
    problem: code,
    remedy: 'look at the disk that --state names',
  };
  return new StateError(`${doing} state file ${path}: ${verdict.problem}`, { ...verdict, cause: error });
}
