import { readFileSync } from 'node:fs';

import { emailOf, type JobUserName } from './files.ts';

export interface AuditedRequest {
  readonly verb: string;
  readonly uri: string;
}

/** The requests that one job user has sent, as the API server itself wrote them down. */
export class AuditLog {
  readonly #path: string;
  readonly #user: string;

  constructor(path: string, user: JobUserName) {
    this.#path = path;
    this.#user = emailOf(user);
  }

  /** All so far, oldest first; each stands there before its answer was sent. */
  requests(): readonly AuditedRequest[] {
    const text = readFileSync(this.#path, 'utf8');
    // What follows the last line end is being written right now, by somebody else's request.
    return text
      .slice(0, text.lastIndexOf('\n') + 1)
      .split('\n')
      .filter((line) => line.includes(this.#user))
      .map((line) => JSON.parse(line) as AuditLine)
      .map(({ verb, requestURI }) => ({ verb, uri: requestURI }));
  }

  /** Runs something and returns what it cost. */
  async during(action: () => Promise<unknown>): Promise<readonly AuditedRequest[]> {
    const before = this.requests().length;
    await action();
    return this.requests().slice(before);
  }
}

interface AuditLine {
  readonly verb: string;
  readonly requestURI: string;
}

/** How many of each verb. */
export function countByVerb(requests: readonly AuditedRequest[]): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const { verb } of requests) counts[verb] = (counts[verb] ?? 0) + 1;
  return counts;
}
