/**
 * The fields of a log line in words, for a person at a terminal: what has words stands behind the message as a
 * sentence, what the sentence tells already is left out, and the rest stays `key=value`. The JSON log, which metrics
 * and filters read, has every field as it is.
 */

export type Fields = Readonly<Record<string, unknown>>;

export interface Wording {
  /** Undefined: nothing on the line has words of its own. */
  readonly sentence: string | undefined;
  readonly rest: Fields;
}

export function wordFields({ event, ...fields }: Fields): Wording {
  switch (event) {
    case 'pool_decision':
    case 'pool_state':
      return wordPool(fields);
    case 'pass_summary':
      return wordSummary(fields);
    case 'fleet_summary':
      return wordFleet(fields);
    default:
      return wordProblem(fields);
  }
}

// ---- one pool ----

function wordPool(fields: Fields): Wording {
  const { pool, wanted, live, applied, reason, warm, warming, warmBy, pending, nodes, ...others } = fields;
  const spares = spareWords({ warm, warming, warmBy, pending });
  const { sentence, rest } = wordProblem(others);
  const failure = sentence === undefined ? '' : `; ${sentence}`;
  const change =
    applied === 'unchanged' ? 'unchanged' : `${changeWords({ wanted, live })} (${spaced(show(applied))})`;
  return {
    sentence: `${show(pool)} ${change}: ${show(reason)}${failure}`,
    rest: {
      ...without(rest, ['previous', 'target', 'short']),
      ...(spares === '' ? {} : { spares }),
      ...(isMapping(nodes) && Object.keys(nodes).length > 0 ? { nodes: countWords(nodes) } : {}),
    },
  };
}

function changeWords({ wanted, live }: Fields): string {
  return `${live === undefined ? 'none' : show(live)} → ${show(wanted)}`;
}

function spareWords({ warm, warming, warmBy, pending }: Fields): string {
  const until = typeof warmBy === 'string' ? ` until ${warmBy.slice(11, 19)}Z` : '';
  return [
    ...(isSome(warm) ? [`${show(warm)} warm`] : []),
    ...(isSome(warming) ? [`${show(warming)} warming${until}`] : []),
    ...(isSome(pending) ? [`${show(pending)} Pending`] : []),
  ].join(', ');
}

// ---- the summary ----

const SUMMARIZED = ['exitCode', 'reading', 'degraded'];

function wordSummary(fields: Fields): Wording {
  const { outcome, durationMs, pools, requests, degradedSince, findings, dryRun, ...rest } = fields;
  const counts = Array.isArray(pools) ? pools.filter(isMapping).map(poolInSummary) : [];
  const upcoming = isMapping(findings) ? findings['upcoming'] : undefined;
  const parts = [
    `${show(outcome)} in ${seconds(durationMs)}${dryRun === true ? ' (dry run: nothing was written)' : ''}`,
    counts.join(', '),
    requestWords(requests),
    isSome(upcoming) ? `${show(upcoming)} problem${upcoming === 1 ? '' : 's'} in calendar entries` : '',
    degradedSince === undefined ? '' : `degraded since ${show(degradedSince)}`,
  ];
  return { sentence: parts.filter((part) => part !== '').join('; '), rest: without(rest, SUMMARIZED) };
}

/** `base 3 (1 Pending)`, or `base 1 → 3 (configured)` where something was done or should have been. */
function poolInSummary(fields: Fields): string {
  const { pool, wanted, applied } = fields;
  const isUnchanged = applied === 'unchanged';
  const notes = [isUnchanged ? '' : spaced(show(applied)), spareWords({ ...fields, warm: undefined })];
  const shown = notes.filter((note) => note !== '').join('; ');
  const count = isUnchanged ? show(wanted) : changeWords(fields);
  return `${show(pool)} ${count}${shown === '' ? '' : ` (${shown})`}`;
}

/** What is not ok has lines of its own above this one. */
function wordFleet(fields: Fields): Wording {
  const { clusters, outcomes, notOk, pools, wanted, requests, durationMs, ...rest } = fields;
  const names = Array.isArray(notOk) ? notOk.map(show).join(', ') : '';
  const parts = [
    `${show(clusters)} clusters in ${seconds(durationMs)}: ${isMapping(outcomes) ? countWords(outcomes) : ''}`,
    names === '' ? '' : `not ok: ${names}`,
    `${show(wanted)} placeholders wanted in ${show(pools)} pools`,
    requestWords(requests),
  ];
  return { sentence: parts.filter((part) => part !== '').join('; '), rest };
}

function requestWords(requests: unknown): string {
  return isMapping(requests) && Object.keys(requests).length > 0 ? `requests: ${countWords(requests)}` : '';
}

function seconds(milliseconds: unknown): string {
  return typeof milliseconds === 'number' ? `${(milliseconds / 1000).toFixed(1)} s` : show(milliseconds);
}

// ---- what is wrong ----

/** What happened and what to do about it. An error that nobody foresaw stays a field, with its stack. */
function wordProblem({ problem, notice, error, remedy, ...rest }: Fields): Wording {
  const foreseen = isErrorLike(error) && typeof error.remedy === 'string' ? error : undefined;
  const said = foreseen === undefined ? (problem ?? notice) : errorWords(foreseen);
  const sentence = [show(said), adviceWords(remedy, foreseen)].filter((part) => part !== '').join('; ');
  return {
    sentence: sentence === '' ? undefined : sentence,
    rest: foreseen === undefined ? { ...rest, error } : rest,
  };
}

/** Empty where the error has said the same. */
function adviceWords(remedy: unknown, foreseen: ErrorLike | undefined): string {
  return remedy === undefined || remedy === foreseen?.remedy ? '' : `to do: ${show(remedy)}`;
}

export interface ErrorLike {
  readonly name: string;
  readonly message: string;
  readonly code?: unknown;
  readonly remedy?: unknown;
  readonly cause?: unknown;
  readonly stack?: unknown;
}

export function isErrorLike(value: unknown): value is ErrorLike {
  return typeof value === 'object' && value !== null && 'name' in value && 'message' in value;
}

/** An error as a sentence: what happened, why, and what to do about it. */
export function errorWords(error: ErrorLike): string {
  let words = error.message;
  for (let cause = error.cause; isErrorLike(cause); cause = cause.cause) {
    if (!isSaid(words, cause)) words = `${words}: ${firstLine(cause.message)}`;
  }
  return typeof error.remedy === 'string' ? `${words} -> ${error.remedy}` : words;
}

/** Our own messages often name what the cause would say again: its code, or its very words. */
function isSaid(words: string, { code, message }: ErrorLike): boolean {
  return words.includes(firstLine(message)) || (typeof code === 'string' && words.includes(code));
}

/** Parsers append a drawing of the place. */
function firstLine(text: string): string {
  return text.trim().split('\n', 1)[0] ?? '';
}

// ---- words ----

function isMapping(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isSome(count: unknown): boolean {
  return typeof count === 'number' && count > 0;
}

/** `3 list, 2 get`. */
function countWords(counts: Fields): string {
  return Object.entries(counts)
    .map(([name, count]) => `${show(count)} ${name}`)
    .join(', ');
}

/** `would apply` of `wouldApply`. */
function spaced(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
}

function show(value: unknown): string {
  if (value === undefined) return '';
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function without(fields: Fields, names: readonly string[]): Fields {
  return Object.fromEntries(Object.entries(fields).filter(([name]) => !names.includes(name)));
}
