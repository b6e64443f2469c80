/**
 * Names as Kubernetes takes them. Each check answers with what is wrong and how to write it, or undefined.
 * Refused here, with the line of the file, rather than by the API server in the middle of a pass.
 * Source: kubernetes.io, "Object Names and IDs" and "Labels and Selectors".
 */
import { parseLabelSelector } from '../domain/label-selector.ts';
import { isUsablePoolName, poolNameProblem } from '../domain/pool-name.ts';

const DNS_LABEL = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/;
const DNS_SUBDOMAIN = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;
const LABEL_NAME = /^[A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?$/;

const LONGEST_LABEL = 63;
const LONGEST_SUBDOMAIN = 253;

type Check = (text: string) => string | undefined;

export const checkDnsLabel: Check = (text) =>
  checkLength(text, LONGEST_LABEL) ?? checkDnsForm(text, DNS_LABEL);

export const checkDnsSubdomain: Check = (text) =>
  checkLength(text, LONGEST_SUBDOMAIN) ?? checkDnsForm(text, DNS_SUBDOMAIN);

export function checkPoolName(text: string): string | undefined {
  const problem = poolNameProblem(text);
  return problem === undefined ? undefined : `${problem}${hintAtForm(text, isUsablePoolName)}`;
}

/** The name of one cluster of a fleet: what stands before the slash in a calendar entry. */
export function checkClusterName(text: string): string | undefined {
  return LABEL_NAME.test(text) && text.length <= LONGEST_LABEL
    ? undefined
    : `must be at most ${LONGEST_LABEL} letters, digits, "-", "_" and ".", since calendar entries say "cluster/pool"`;
}

/** A label's key: a name of at most 63 characters, with or without a `domain/` before it. */
export function checkLabelKey(text: string): string | undefined {
  const parts = text.split('/');
  const name = parts.at(-1) ?? '';
  const prefix = parts.length > 1 ? parts.slice(0, -1).join('/') : undefined;
  if (parts.length > 2 || !LABEL_NAME.test(name) || name.length > LONGEST_LABEL) {
    return 'must be a label key, such as hub.jupyter.org/pool-name';
  }
  return prefix === undefined ? undefined : checkDnsSubdomain(prefix);
}

export function checkLabelValue(text: string): string | undefined {
  return text === '' || (LABEL_NAME.test(text) && text.length <= LONGEST_LABEL)
    ? undefined
    : `must be a label value: at most ${LONGEST_LABEL} letters, digits, "-", "_" and "."`;
}

export function checkSelector(text: string): string | undefined {
  const pairs = parseLabelSelector(text);
  if (pairs === undefined) {
    return 'must be key=value, or several of them joined by commas';
  }
  return pairs
    .map(([key, value]) => checkLabelKey(key) ?? checkLabelValue(value))
    .find((one) => one !== undefined);
}

function checkLength(text: string, longest: number): string | undefined {
  return text.length > longest ? `has ${text.length} characters; at most ${longest} are allowed` : undefined;
}

function checkDnsForm(text: string, form: RegExp): string | undefined {
  const rule = 'must be lower-case letters, digits and "-", with a letter or digit at both ends';
  return form.test(text) ? undefined : `${rule}${hintAtForm(text, (name) => form.test(name))}`;
}

/** The nearest name of the right form, if there is one. */
function hintAtForm(text: string, isRight: (name: string) => boolean): string {
  const nearest = text
    .toLowerCase()
    .replace(/[^a-z0-9.-]+/g, '-')
    .replace(/^[.-]+|[.-]+$/g, '');
  return isRight(nearest) ? `, such as "${nearest}"` : '';
}
