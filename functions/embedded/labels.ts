/** Label selectors, as objects carry them and as a list request writes them. */
import { isObject, listAt, textAt, textsAt } from './json.ts';
import type { JsonObject, Labels, Selector, SelectorTerm } from './objects.ts';

const OPERATORS = ['In', 'NotIn', 'Exists', 'DoesNotExist'] as const;

export function readSelector(document: JsonObject): Selector {
  return {
    matchLabels: textsAt(document, 'matchLabels'),
    matchExpressions: listAt(document, 'matchExpressions')
      .filter(isObject)
      .map((term) => ({
        key: textAt(term, 'key') ?? '',
        operator: OPERATORS.find((each) => each === term['operator']) ?? 'In',
        values: listAt(term, 'values').filter((value) => typeof value === 'string'),
      })),
  };
}

export function matchesSelector(labels: Labels, selector: Selector): boolean {
  for (const key in selector.matchLabels) {
    if (labels[key] !== selector.matchLabels[key]) return false;
  }
  return selector.matchExpressions.every((term) => matchesTerm(labels, term));
}

/** A missing label satisfies NotIn and DoesNotExist, and nothing else. */
export function matchesTerm(labels: Labels, term: SelectorTerm): boolean {
  const value = labels[term.key];
  switch (term.operator) {
    case 'In':
      return value !== undefined && term.values.includes(value);
    case 'NotIn':
      return value === undefined || !term.values.includes(value);
    case 'Exists':
      return value !== undefined;
    case 'DoesNotExist':
      return value === undefined;
  }
}

const SET_TERM = /^\s*([^\s!=,()]+)\s+(in|notin)\s*\(([^)]*)\)\s*$/;
const EQUAL_TERM = /^\s*([^\s!=,()]+)\s*(==|=|!=)\s*([^\s!=,()]*)\s*$/;
const EXISTS_TERM = /^\s*(!?)\s*([^\s!=,()]+)\s*$/;

/** Reads `a=b,c!=d,e in (f,g),h,!i`; undefined when it cannot be read, which the API server answers with 400. */
export function parseSelector(text: string): readonly SelectorTerm[] | undefined {
  if (text.trim() === '') return [];
  const terms = text.split(/,(?![^(]*\))/).map(parseTerm);
  return terms.every((term) => term !== undefined) ? terms : undefined;
}

function parseTerm(text: string): SelectorTerm | undefined {
  return parseSetTerm(text) ?? parseEqualTerm(text) ?? parseExistsTerm(text);
}

function parseSetTerm(text: string): SelectorTerm | undefined {
  const [, key, operator, list] = SET_TERM.exec(text) ?? [];
  if (key === undefined || list === undefined) return undefined;
  const values = list.split(',').map((value) => value.trim());
  return { key, operator: operator === 'in' ? 'In' : 'NotIn', values };
}

function parseEqualTerm(text: string): SelectorTerm | undefined {
  const [, key, operator, value] = EQUAL_TERM.exec(text) ?? [];
  if (key === undefined || value === undefined) return undefined;
  return { key, operator: operator === '!=' ? 'NotIn' : 'In', values: [value] };
}

function parseExistsTerm(text: string): SelectorTerm | undefined {
  const [, negation, key] = EXISTS_TERM.exec(text) ?? [];
  if (key === undefined) return undefined;
  return { key, operator: negation === '!' ? 'DoesNotExist' : 'Exists', values: [] };
}
