/**
 * What a pass has written to its cluster so far. A fault of the program can end it anywhere, and all that it had in
 * hand is lost then: whoever tells of that end reads here what stands.
 */
import { OutsideError } from '../errors.ts';

export interface WriteLog {
  /** Carries out a write to this object, such as `deployment/base-placeholder`, and passes on what comes of it. */
  note<T>(object: string, write: () => Promise<T>): Promise<T>;
  /** Those that were answered, in order. */
  written(): readonly string[];
  /** The one that a fault broke off: nobody knows whether it took effect. */
  brokenOff(): string | undefined;
}

export function startWriteLog(): WriteLog {
  const written: string[] = [];
  let begun: string | undefined;
  return {
    async note(object, write) {
      begun = object;
      try {
        const result = await write();
        written.push(object);
        begun = undefined;
        return result;
      } catch (error) {
        // Foreseen, and told by a line of its own.
        if (error instanceof OutsideError) begun = undefined;
        throw error;
      }
    },
    written: () => written,
    brokenOff: () => begun,
  };
}
