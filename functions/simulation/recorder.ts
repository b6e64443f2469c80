/** What happened in one run: each minute's numbers, node-hours, who waited, what went up and down. */
import type { Instant } from '../domain/instant.ts';
import type { ClusterModel } from '../embedded/model.ts';
import type { Node, Pod } from '../embedded/objects.ts';
import { HUB_NAMESPACE, USER_LABELS } from '../embedded/settings.ts';
import type { VisitRecord } from '../embedded/users.ts';

const COLUMNS = [
  'wanted',
  'nodes',
  'warmSpares',
  'coldSpares',
  'pendingSpares',
  'usersIn',
  'waiting',
] as const;
export type Column = (typeof COLUMNS)[number];

/** One pool's numbers, minute by minute from the start. */
export type Timeline = Readonly<Record<Column, Uint16Array>>;

export interface NodeHours {
  /** From the request for a node to its end. */
  readonly total: number;
  /** Of those, without any user on it. */
  readonly idle: number;
}

interface PoolTally {
  /** Nodes that stand or are on their way, and those of them that some user has. */
  nodes: number;
  used: number;
  nodeMilliseconds: number;
  usedMilliseconds: number;
  since: Instant;
}

export class Recorder {
  readonly #model: ClusterModel;
  readonly #namespace: string;
  readonly #tallies = new Map<string, PoolTally>();
  readonly #timelines = new Map<string, Record<Column, Uint16Array>>();
  #sampledRevision = 0;

  constructor(model: ClusterModel, options: { readonly namespace: string; readonly minutes: number }) {
    this.#model = model;
    this.#namespace = options.namespace;
    for (const pool of model.settings.pools) {
      const columns = COLUMNS.map((name) => [name, new Uint16Array(options.minutes)] as const);
      this.#timelines.set(pool.name, Object.fromEntries(columns) as Record<Column, Uint16Array>);
      const nodes = [...model.nodes.values()].filter((node) => node.pool === pool.name).length;
      const zero = { used: 0, nodeMilliseconds: 0, usedMilliseconds: 0 };
      this.#tallies.set(pool.name, { ...zero, nodes, since: model.clock.now() });
    }
    this.#listen();
  }

  #listen(): void {
    this.#model.listen((event) => {
      if (event.kind === 'nodeRequested') this.#change(event.pool, { nodes: 1, used: 0 });
      else if (event.kind === 'nodeRemoved') this.#change(event.node.pool, { nodes: -1, used: 0 });
      else if (event.kind === 'podBound' && isUser(event.pod)) this.#countUsed(event.pod, 1);
      else if (event.kind === 'podRemoved' && isUser(event.pod)) this.#countUsed(event.pod, 0);
    });
  }

  /** A node counts as used from its first user to its last: `users` is how many there are at such a turn. */
  #countUsed({ node }: Pod, users: 0 | 1): void {
    if (node === undefined || usersOn(node) !== users) return;
    this.#change(node.pool, { nodes: 0, used: users === 1 ? 1 : -1 });
  }

  #change(pool: string, by: { readonly nodes: number; readonly used: number }): void {
    const tally = this.#tallies.get(pool);
    if (tally === undefined) return;
    advance(tally, this.#model.clock.now());
    tally.nodes += by.nodes;
    tally.used += by.used;
  }

  /** Takes down one minute's numbers. */
  sample(minute: number, waiting: ReadonlySet<VisitRecord>, wanted: ReadonlyMap<string, number>): void {
    const isSame = this.#sampledRevision === this.#model.revision && minute > 0;
    this.#sampledRevision = this.#model.revision;
    for (const [pool, timeline] of this.#timelines) {
      const numbers = isSame ? undefined : this.#count(pool, waiting);
      for (const column of COLUMNS) {
        timeline[column][minute] = numbers?.[column] ?? timeline[column][minute - 1] ?? 0;
      }
      timeline.wanted[minute] = wanted.get(pool) ?? 0;
    }
  }

  #count(pool: string, waiting: ReadonlySet<VisitRecord>): Partial<Record<Column, number>> {
    const nodes = [...this.#model.nodes.values()].filter((node) => node.pool === pool);
    const spares = [...this.#model.podsIn(this.#namespace)].filter((pod) => poolOfSpare(pod) === pool);
    const standing = spares.flatMap((pod) => pod.node ?? []);
    const warmSpares = standing.filter((node) => isWarm(this.#model, node)).length;
    return {
      nodes: nodes.length,
      warmSpares,
      coldSpares: standing.length - warmSpares,
      pendingSpares: spares.length - standing.length,
      usersIn: nodes.reduce((total, node) => total + runningUsersOn(node), 0),
      waiting: [...waiting].filter(({ visit }) => visit.pool === pool).length,
    };
  }

  timelineOf(pool: string): Timeline {
    const timeline = this.#timelines.get(pool);
    if (timeline === undefined) throw new Error(`no timeline for pool ${pool}`);
    return timeline;
  }

  nodeHoursOf(pool: string): NodeHours {
    const tally = this.#tallies.get(pool);
    if (tally === undefined) return { total: 0, idle: 0 };
    advance(tally, this.#model.clock.now());
    const total = tally.nodeMilliseconds / 3_600_000;
    return { total, idle: total - tally.usedMilliseconds / 3_600_000 };
  }
}

function advance(tally: PoolTally, now: Instant): void {
  tally.nodeMilliseconds += tally.nodes * (now - tally.since);
  tally.usedMilliseconds += tally.used * (now - tally.since);
  tally.since = now;
}

export function isUser(pod: Pod): boolean {
  return pod.meta.namespace === HUB_NAMESPACE && pod.meta.labels['component'] === USER_LABELS['component'];
}

function usersOn(node: Node): number {
  let users = 0;
  for (const pod of node.pods) if (isUser(pod)) users += 1;
  return users;
}

function runningUsersOn(node: Node): number {
  let users = 0;
  for (const pod of node.pods) if (isUser(pod) && pod.readyAt !== undefined) users += 1;
  return users;
}

/** Whether the user image is there: what the model knows, whatever a pass makes of it. */
export function isWarm(model: ClusterModel, node: Node): boolean {
  const image = model.poolOf(node)?.userImage;
  return image === undefined || node.images.has(image);
}

/** The pool that a placeholder of any policy stands for. */
function poolOfSpare(pod: Pod): string | undefined {
  return pod.meta.labels['app.kubernetes.io/instance'];
}
