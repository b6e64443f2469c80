/**
 * The part of Cloud Logging's query language that infra/ uses: comparisons of fields joined by AND.
 * Source: cloud.google.com/logging/docs/view/logging-query-language, "Comparisons".
 */
export interface LogEntry {
  readonly severity: string;
  readonly resource: { readonly type: string; readonly labels: Readonly<Record<string, string>> };
  readonly jsonPayload: Readonly<Record<string, unknown>>;
}

const SEVERITIES = [
  'DEFAULT',
  'DEBUG',
  'INFO',
  'NOTICE',
  'WARNING',
  'ERROR',
  'CRITICAL',
  'ALERT',
  'EMERGENCY',
];

/** The field at a dotted path; undefined where there is none. */
export function fieldOf(entry: LogEntry, path: string): unknown {
  let value: unknown = entry;
  for (const key of path.split('.')) {
    value = typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[key] : undefined;
  }
  return value;
}

export function matchesFilter(entry: LogEntry, filter: string): boolean {
  return filter.split(/\s+AND\s+|\n/).every((comparison) => matchesComparison(entry, comparison));
}

function matchesComparison(entry: LogEntry, comparison: string): boolean {
  const [, path = '', operator = '', literal = ''] = /^([\w.]+)(=|>=)(.+)$/.exec(comparison) ?? [];
  if (path === '') {
    throw new Error(`this test cannot read the comparison: ${comparison}`);
  }
  const value = fieldOf(entry, path);
  if (operator === '>=') {
    return SEVERITIES.indexOf(String(value)) >= SEVERITIES.indexOf(literal);
  }
  return literal.startsWith('"') ? value === JSON.parse(literal) : String(value) === literal;
}

/**
 * What Cloud Run makes of one line of standard output: a JSON object becomes the payload, and the keys that Cloud
 * Logging knows leave it. Source: cloud.google.com/logging/docs/structured-logging, "Special JSON fields".
 */
export function entryOf(line: string, resource: LogEntry['resource']): LogEntry {
  const { severity = 'DEFAULT', ...rest } = JSON.parse(line) as Record<string, unknown>;
  const special = ['time', 'timestamp', 'timestampSeconds', 'timestampNanos', 'httpRequest'];
  const jsonPayload = Object.fromEntries(
    Object.entries(rest).filter(
      ([key]) => !special.includes(key) && !key.startsWith('logging.googleapis.com/'),
    ),
  );
  return { severity: String(severity), resource, jsonPayload };
}
