import { ConfigError } from '../errors.ts';
import type { StateStore } from '../ports.ts';
import { FileStateStore } from './file.ts';
import type { FirestoreOptions } from './firestore-connection.ts';
import { FirestoreStateStore } from './firestore.ts';
import { MemoryStateStore } from './memory.ts';

export type StateDependencies = Pick<FirestoreOptions, 'authClient' | 'emulatorHost'>;

const FORMS = 'memory, file:PATH, or firestore[:[PROJECT/]DATABASE]';
const DEFAULT_DATABASE = '(default)';
const PROJECT_ID = /^(?:[a-z0-9.-]+:)?[a-z][a-z0-9-]{4,28}[a-z0-9]$/;
const DATABASE_ID = /^(?:\(default\)|[a-z][a-z0-9-]{2,61}[a-z0-9])$/;

/**
 * Opens the store that `--state` names; nothing is read or connected to yet.
 * @throws ConfigError when it names none: a mistyped kind must not become a file of that name.
 */
export function openStateStore(spec: string, dependencies: StateDependencies = {}): StateStore {
  const { kind, rest } = split(spec);
  switch (kind) {
    case 'memory':
      if (rest !== undefined) throw refuse(spec, 'memory takes nothing after it');
      return new MemoryStateStore();
    case 'file':
      if (rest === undefined || rest === '') throw refuse(spec, 'file: needs a path after it');
      return new FileStateStore(rest);
    case 'firestore':
      return new FirestoreStateStore({ ...readAddress(spec, rest), ...dependencies });
    case undefined:
      return openFile(spec);
    default:
      throw refuse(spec, `there is no kind of store called ${kind}`);
  }
}

function openFile(spec: string): StateStore {
  if (spec.trim() === '') throw refuse(spec, 'it is empty');
  // `firestor` would otherwise be a file of that name, which in a job is lost with every pass.
  if (!/[./\\]/.test(spec)) {
    throw refuse(spec, `it is neither a kind of store nor a path; a file is file:${spec}`);
  }
  return new FileStateStore(spec);
}

/** A word before a colon, or one of the kinds alone, in any case of letters; one letter is a Windows drive. */
function split(spec: string): { readonly kind: string | undefined; readonly rest: string | undefined } {
  const prefix = /^([A-Za-z][A-Za-z0-9+.-]+):(.*)$/s.exec(spec);
  if (prefix !== null) return { kind: prefix[1]?.toLowerCase(), rest: prefix[2] };
  const isBareKind = /^(?:memory|file|firestore)$/i.test(spec);
  return { kind: isBareKind ? spec.toLowerCase() : undefined, rest: undefined };
}

function readAddress(
  spec: string,
  rest: string | undefined,
): { readonly projectId: string | undefined; readonly databaseId: string } {
  if (rest === undefined || rest === '') return { projectId: undefined, databaseId: DEFAULT_DATABASE };
  const slash = rest.indexOf('/');
  const projectId = slash < 0 ? undefined : rest.slice(0, slash);
  const databaseId = rest.slice(slash + 1);
  if (projectId !== undefined && !PROJECT_ID.test(projectId)) {
    throw refuse(spec, `${projectId} is not a project id`);
  }
  if (!DATABASE_ID.test(databaseId)) {
    throw refuse(
      spec,
      `${databaseId} is not a database id: (default), or 4 to 63 small letters, digits and hyphens`,
    );
  }
  return { projectId, databaseId };
}

function refuse(spec: string, problem: string): ConfigError {
  return new ConfigError('--state', [
    {
      path: '--state',
      line: undefined,
      column: undefined,
      message: `${JSON.stringify(spec)}: ${problem}; write ${FORMS}`,
    },
  ]);
}
