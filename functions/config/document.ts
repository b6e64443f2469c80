/**
 * YAML 1.2 text into plain values, with the way back from a value to its line. Aliases are bounded, a key may
 * stand once, and `__proto__` is refused, so that the values are safe to walk.
 */
import {
  type Document,
  isAlias,
  isMap,
  isNode,
  isPair,
  isScalar,
  isSeq,
  LineCounter,
  type Pair,
  parseDocument,
  visit,
  type YAMLError,
} from 'yaml';
import type { ConfigFinding } from '../errors.ts';
import { formatPath, type SettingPath } from './path.ts';

export interface Position {
  readonly line: number;
  readonly column: number;
}

export interface ConfigDocument {
  readonly value: unknown;
  /** Where the value at that path stands; for a path that leads nowhere, where its nearest parent does. */
  locateValue(path: SettingPath): Position | undefined;
  /** Where the key itself stands. */
  locateKey(path: SettingPath): Position | undefined;
  /** Keys of the mapping at that path, as written: the plain value has those that look like numbers first. */
  listKeys(path: SettingPath): readonly string[];
}

export type ReadDocument =
  | { readonly kind: 'read'; readonly document: ConfigDocument; readonly findings: readonly ConfigFinding[] }
  | { readonly kind: 'unreadable'; readonly findings: readonly ConfigFinding[] };

/** Far more than shared blocks in a fleet need, far less than an alias bomb. */
const MAX_ALIASES = 200;

export function readDocument(text: string): ReadDocument {
  const lines = new LineCounter();
  const document = parseDocument(text, {
    version: '1.2',
    merge: true,
    stringKeys: true,
    prettyErrors: false,
    lineCounter: lines,
  });
  const positionAt = (offset: number): Position => {
    const { line, col } = lines.linePos(offset);
    return { line, column: col };
  };
  const findings = [
    ...[...document.errors, ...document.warnings].map((error) => describeError(error, document, positionAt)),
    ...findUnsafeKeys(document, positionAt),
  ];
  const lostAliases = findLostAliases(document, positionAt);
  // A key that stands twice leaves the rest readable; after any other error the rest would be guesswork.
  const isReadable = document.errors.every((error) => error.code === 'DUPLICATE_KEY');
  if (!isReadable || lostAliases.length > 0) {
    return { kind: 'unreadable', findings: [...findings, ...lostAliases] };
  }
  const value = toValue(document);
  if (value === undefined) {
    return { kind: 'unreadable', findings: [...findings, TOO_MANY_ALIASES] };
  }
  return { kind: 'read', findings, document: createDocument(document, value.value, positionAt) };
}

const TOO_MANY_ALIASES: ConfigFinding = {
  path: '',
  line: undefined,
  column: undefined,
  message: `uses YAML aliases more than ${MAX_ALIASES} times over: write the values out`,
};

function toValue(document: Document): { readonly value: unknown } | undefined {
  try {
    const value: unknown = document.toJS({ maxAliasCount: MAX_ALIASES });
    return { value };
  } catch {
    // The only error left at this point is the library's bound on aliases.
    return undefined;
  }
}

function createDocument(
  document: Document,
  value: unknown,
  positionAt: (offset: number) => Position,
): ConfigDocument {
  return {
    value,
    locateValue: (path) => {
      const pairs = findPairs(document, path);
      const node = pairs.at(-1)?.node ?? document.contents;
      return positionOf(node, positionAt) ?? positionOf(pairs.at(-1)?.key, positionAt);
    },
    listKeys: (path) => {
      const node = path.length === 0 ? document.contents : findPairs(document, path).at(-1)?.node;
      const mapping = isAlias(node) ? node.resolve(document) : node;
      return isMap(mapping) ? mapping.items.map((pair) => keyText(pair) ?? '') : [];
    },
    locateKey: (path) => positionOf(findPairs(document, path).at(-1)?.key, positionAt),
  };
}

interface Step {
  readonly key: unknown;
  readonly node: unknown;
}

/** The nodes along a path, as far as it leads; aliases and merged mappings are followed. */
function findPairs(document: Document, path: SettingPath): readonly Step[] {
  const steps: Step[] = [];
  let node: unknown = document.contents;
  for (const part of path) {
    const step = stepInto(document, node, part);
    if (step === undefined) {
      break;
    }
    steps.push(step);
    node = step.node;
  }
  return steps;
}

function stepInto(document: Document, from: unknown, part: PropertyKey): Step | undefined {
  const node = isAlias(from) ? from.resolve(document) : from;
  if (isSeq(node) && typeof part === 'number') {
    const item = node.items[part];
    return { key: item, node: item };
  }
  if (!isMap(node)) {
    return undefined;
  }
  const own = node.items.find((pair) => keyText(pair) === String(part));
  if (own !== undefined) {
    return { key: own.key, node: own.value };
  }
  const merged = node.items.find((pair) => keyText(pair) === '<<');
  return merged === undefined ? undefined : stepInto(document, merged.value, part);
}

function keyText(pair: Pair): string | undefined {
  return isScalar(pair.key) ? String(pair.key.value) : undefined;
}

function positionOf(node: unknown, positionAt: (offset: number) => Position): Position | undefined {
  return isNode(node) && node.range ? positionAt(node.range[0]) : undefined;
}

/** The library would only say so when the values are made, and then without a place. */
function findLostAliases(document: Document, positionAt: (offset: number) => Position): ConfigFinding[] {
  const findings: ConfigFinding[] = [];
  visit(document, {
    Alias: (_, alias) => {
      if (alias.resolve(document) === undefined) {
        const position = positionOf(alias, positionAt);
        const message = `*${alias.source} needs its anchor, &${alias.source}, above it; a text that starts with * needs quotes`;
        findings.push({ path: '', line: position?.line, column: position?.column, message });
      }
    },
  });
  return findings;
}

interface FoundKey {
  readonly path: SettingPath;
  readonly key: unknown;
}

function findKeys(document: Document, isWanted: (pair: Pair) => boolean): readonly FoundKey[] {
  const found: FoundKey[] = [];
  visit(document, {
    Pair: (_, pair, ancestors) => {
      if (isWanted(pair)) {
        const parents = [...ancestors.filter((one) => isPair(one)), pair];
        found.push({ path: parents.map((one) => keyText(one) ?? '?'), key: pair.key });
      }
    },
  });
  return found;
}

function findUnsafeKeys(document: Document, positionAt: (offset: number) => Position): ConfigFinding[] {
  return findKeys(document, (pair) => keyText(pair) === '__proto__').map(({ path, key }) => ({
    path: formatPath(path),
    line: positionOf(key, positionAt)?.line,
    column: positionOf(key, positionAt)?.column,
    message: 'is not a key that anything may have: remove it',
  }));
}

function describeError(
  error: YAMLError,
  document: Document,
  positionAt: (offset: number) => Position,
): ConfigFinding {
  const { line, column } = positionAt(error.pos[0]);
  const keys = findKeys(document, ({ key }) => isNode(key) && key.range?.[0] === error.pos[0]);
  return { path: formatPath(keys[0]?.path ?? []), line, column, message: explainSyntax(error) };
}

const SYNTAX_ADVICE: Readonly<Partial<Record<YAMLError['code'], string>>> = {
  DUPLICATE_KEY: 'this key stands here a second time: keep one of the two',
  TAB_AS_INDENT: 'is indented with a tab: use spaces',
  MULTIPLE_DOCS: 'starts a second YAML document ("---"): keep one',
  TAG_RESOLVE_FAILED: 'has a YAML tag (!name) that means nothing here: remove it',
};

function explainSyntax(error: YAMLError): string {
  return SYNTAX_ADVICE[error.code] ?? `is not YAML: ${error.message}`;
}
