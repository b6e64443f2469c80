/**
 * Lines as Cloud Logging reads them from stdout: `severity`, `message` as text, and the fields beside it.
 * @google-cloud/logging-winston in its stdout mode, adjusted in four points (its source: src/common.ts, and
 * src/index.ts and src/log-sync.ts of @google-cloud/logging):
 * - it puts the fields under `metadata`; here they stand beside the message, where filters expect them;
 * - it adds a line about itself once a process, which would be 43,200 lines a month for a job of every minute;
 * - it makes API clients even where it only writes to stdout, and these look for credentials on the network;
 * - it writes a `logName` that means nothing on stdout, and the time as two numbers.
 */
import type { Writable } from 'node:stream';
import { LoggingWinston } from '@google-cloud/logging-winston';
import type { AuthClient } from 'google-auth-library';

/** Names that Cloud Logging or the library gives a meaning of their own, at the top of a line. */
const RESERVED_KEYS =
  /^(severity|message|time|timestamp|logName|resource|httpRequest|logging\.googleapis\.com\/.*)$/;

/** Only has to be there. A real one would load Google's library for credentials, also where nothing else wants it. */
const NO_CREDENTIALS: unknown = {};

export function createCloudTransport(stream: Writable): Writable {
  // The flag that the library itself sets after its line: see setInstrumentationStatus.
  Object.assign(globalThis, { instrumentationAdded: true });
  const transport = new LoggingWinston({
    redirectToStdout: true,
    useMessageField: false,
    // Neither is ever used: with them the clients ask nobody for credentials.
    authClient: NO_CREDENTIALS as AuthClient,
    projectId: 'stdout',
  });
  const { common } = transport;
  const createEntry = common.entry.bind(common);
  common.entry = (metadata, data) => createEntry(metadata, liftFields(data));
  Object.assign(common.cloudLog, {
    transport: { write: (line: string) => stream.write(tidyLine(line)) },
  });
  return transport;
}

function liftFields(data: unknown): object {
  const { message, metadata } = mappingOf(data);
  const { time, fields } = mappingOf(metadata);
  const beside = Object.entries(mappingOf(fields)).map(
    ([key, value]) => [RESERVED_KEYS.test(key) ? `_${key}` : key, value] as const,
  );
  return { time, message, ...Object.fromEntries(beside) };
}

/** Said in other words already: the name is the job's own log, the time stands in `time`. */
const REDUNDANT_KEYS = ['logName', 'timestamp'];

function tidyLine(line: string): string {
  const entries = Object.entries(mappingOf(JSON.parse(line))).filter(
    ([key]) => !REDUNDANT_KEYS.includes(key),
  );
  return `${JSON.stringify(Object.fromEntries(entries))}\n`;
}

function mappingOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? { ...value } : {};
}
