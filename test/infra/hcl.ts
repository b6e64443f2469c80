/**
 * Reads just enough of Terraform's language for tests of what is written in infra/: blocks by type and name, and
 * `name = value` with strings, numbers, lists, objects and references. Anything else is kept as its text.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

export const REPOSITORY = join(import.meta.dirname, '..', '..');
export const INFRA = join(REPOSITORY, 'infra');

export type HclValue = string | number | boolean | Reference | readonly HclValue[] | HclObject;
export type HclObject = { readonly [key: string]: HclValue };

/** An expression that is not a literal, such as `local.pool_log`. */
export interface Reference {
  readonly expression: string;
}

export function isReference(value: HclValue): value is Reference {
  return typeof value === 'object' && 'expression' in value && typeof value.expression === 'string';
}

/** All of infra/*.tf, one after the other. */
export function readTerraform(): string {
  return readdirSync(INFRA)
    .filter((name) => name.endsWith('.tf'))
    .sort()
    .map((name) => readFileSync(join(INFRA, name), 'utf8'))
    .join('\n');
}

/** Names of the blocks of one type, such as every `variable "NAME"`. */
export function blockNames(text: string, type: string): readonly string[] {
  return [...text.matchAll(new RegExp(`^${type} "([^"]+)"`, 'gm'))].map(([, name = '']) => name);
}

/** Addresses of all resources, such as `google_cloud_run_v2_job.pass`. */
export function resourceAddresses(text: string): readonly string[] {
  return [...text.matchAll(/^resource "([^"]+)" "([^"]+)"/gm)].map(
    ([, type = '', name = '']) => `${type}.${name}`,
  );
}

/** The text of `default = …` in the block of one variable, or undefined when the variable is required. */
export function variableDefault(text: string, name: string): string | undefined {
  const start = text.indexOf(`variable "${name}" {`);
  const block = text.slice(start, text.indexOf('\n}\n', start));
  return /^ {2}default\s*=\s*(.+)$/m.exec(block)?.[1];
}

/** The value of the first attribute of that name, wherever it stands. */
export function attribute(text: string, name: string): HclValue {
  const match = new RegExp(`^\\s*${name}\\s*=\\s*`, 'm').exec(text);
  if (match === null) {
    throw new Error(`there is no attribute ${name}`);
  }
  return new Reader(text, match.index + match[0].length).value();
}

class Reader {
  readonly #text: string;
  #at: number;

  constructor(text: string, at: number) {
    this.#text = text;
    this.#at = at;
  }

  value(): HclValue {
    this.#skipSpace();
    const next = this.#text[this.#at];
    if (next === '"') return this.#string();
    if (next === '{') return this.#object();
    if (next === '[') return this.#list();
    return this.#word();
  }

  #skipSpace(): void {
    const space = /(?:\s|,|#[^\n]*)*/y;
    space.lastIndex = this.#at;
    this.#at += space.exec(this.#text)?.[0].length ?? 0;
  }

  /** Whether something else comes before that closing bracket. */
  #isBefore(bracket: string): boolean {
    this.#skipSpace();
    return this.#text[this.#at] !== bracket;
  }

  #take(pattern: RegExp): string {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#text);
    if (found === null) {
      throw new Error(`cannot read: ${this.#text.slice(this.#at, this.#at + 60)}`);
    }
    this.#at += found[0].length;
    return found[0];
  }

  #string(): string {
    return JSON.parse(this.#take(/"(?:[^"\\\n]|\\.)*"/y)) as string;
  }

  #word(): HclValue {
    const word = this.#take(/[^\s,\]}]+/y);
    if (word === 'true' || word === 'false') return word === 'true';
    return /^-?[0-9.]+$/.test(word) ? Number(word) : { expression: word };
  }

  #object(): HclObject {
    const entries: [string, HclValue][] = [];
    this.#at += 1;
    while (this.#isBefore('}')) {
      const key = this.#take(/[A-Za-z_][\w-]*/y);
      this.#take(/\s*=/y);
      entries.push([key, this.value()]);
    }
    this.#at += 1;
    return Object.fromEntries(entries);
  }

  #list(): readonly HclValue[] {
    const items: HclValue[] = [];
    this.#at += 1;
    while (this.#isBefore(']')) {
      items.push(this.value());
    }
    this.#at += 1;
    return items;
  }
}
