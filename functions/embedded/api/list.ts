/** Lists: label and field selectors, and pages that all show the same moment. */
import { matchesTerm, parseSelector } from '../labels.ts';
import type { ClusterModel } from '../model.ts';
import { keyOf } from '../model.ts';
import type { JsonObject, SelectorTerm } from '../objects.ts';
import { refuse } from '../refusal.ts';
import type { Resource } from './resource.ts';
import { apiVersionOf, fieldOf } from './resource.ts';

/** What etcd keeps by default before it compacts. */
const TOKEN_LIFE_SECONDS = 300;
/** Snapshots of lists that nobody reads to the end; the oldest goes first, as if it had expired. */
const MAX_SNAPSHOTS = 32;

interface Snapshot {
  readonly items: readonly JsonObject[];
  readonly revision: number;
  readonly takenAt: number;
}

export interface ListQuery {
  readonly namespace: string | undefined;
  readonly parameters: URLSearchParams;
}

export class Lister {
  readonly #model: ClusterModel;
  readonly #snapshots = new Map<number, Snapshot>();
  #nextId = 1;

  constructor(model: ClusterModel) {
    this.#model = model;
  }

  /** @throws RefusalError 400 for a token or selector that cannot be read, 410 for a token that has expired. */
  list(resource: Resource, query: ListQuery): JsonObject {
    const limit = Number(query.parameters.get('limit') ?? '0');
    const token = query.parameters.get('continue') ?? '';
    const { id, offset } = token === '' ? { id: this.#take(resource, query), offset: 0 } : readToken(token);
    const snapshot = this.#snapshots.get(id);
    if (snapshot === undefined || this.#isExpired(snapshot)) return expired();
    const end = limit > 0 ? offset + limit : snapshot.items.length;
    const isLast = end >= snapshot.items.length;
    if (isLast) this.#snapshots.delete(id);
    return {
      kind: `${resource.kind}List`,
      apiVersion: apiVersionOf(resource),
      metadata: {
        resourceVersion: String(snapshot.revision),
        ...(isLast
          ? {}
          : { continue: writeToken(id, end), ...remaining(query, snapshot.items.length - end) }),
      },
      items: snapshot.items.slice(offset, end),
    };
  }

  /** Every token given out so far is as one that etcd has compacted away. */
  expireTokens(): void {
    this.#snapshots.clear();
  }

  #isExpired(snapshot: Snapshot): boolean {
    return this.#model.clock.now() - snapshot.takenAt > TOKEN_LIFE_SECONDS * 1000;
  }

  #take(resource: Resource, query: ListQuery): number {
    const id = this.#nextId++;
    this.#snapshots.set(id, {
      items: selectItems(resource, query),
      revision: this.#model.revision,
      takenAt: this.#model.clock.now(),
    });
    const oldest = this.#snapshots.keys().next().value;
    if (this.#snapshots.size > MAX_SNAPSHOTS && oldest !== undefined) this.#snapshots.delete(oldest);
    return id;
  }
}

/** A server cannot say how many are left when it has yet to filter them. */
function remaining(query: ListQuery, count: number): JsonObject {
  const isSelected = query.parameters.has('labelSelector') || query.parameters.has('fieldSelector');
  return isSelected ? {} : { remainingItemCount: count };
}

function selectItems(resource: Resource, query: ListQuery): readonly JsonObject[] {
  const labels = parseSelector(query.parameters.get('labelSelector') ?? '');
  const fields = parseSelector(query.parameters.get('fieldSelector') ?? '');
  if (labels === undefined) return refuse(400, 'BadRequest', 'unable to parse requirement: labelSelector');
  if (fields === undefined) return refuse(400, 'BadRequest', 'unable to parse requirement: fieldSelector');
  const found: { readonly key: string; readonly document: JsonObject }[] = [];
  for (const handle of resource.list()) {
    const { namespace, name } = handle.meta;
    if (query.namespace !== undefined && namespace !== query.namespace) continue;
    if (!labels.every((term) => matchesTerm(handle.meta.labels, term))) continue;
    const document = handle.render();
    if (!fields.every((term) => matchesField(document, term))) continue;
    found.push({ key: keyOf(namespace, name), document });
  }
  return found.sort((a, b) => (a.key < b.key ? -1 : 1)).map((each) => each.document);
}

/** A missing field reads as empty text, so that `spec.nodeName=` finds pods without a node. */
function matchesField(document: JsonObject, term: SelectorTerm): boolean {
  const isEqual = term.values.includes(fieldOf(document, term.key));
  return term.operator === 'NotIn' ? !isEqual : isEqual;
}

function writeToken(id: number, offset: number): string {
  return Buffer.from(JSON.stringify({ v: 'embedded/v1', id, offset })).toString('base64url');
}

function readToken(token: string): { readonly id: number; readonly offset: number } {
  const match = /^\{"v":"embedded\/v1","id":(\d+),"offset":(\d+)\}$/.exec(
    Buffer.from(token, 'base64url').toString('utf8'),
  );
  if (match === null) return refuse(400, 'BadRequest', 'continue key is not valid: invalid continue token');
  return { id: Number(match[1]), offset: Number(match[2]) };
}

function expired(): never {
  const message = 'The provided continue parameter is too old to display a consistent list result.';
  refuse(410, 'Expired', message);
}
