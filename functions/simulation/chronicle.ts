/** The turns of a run that a person would tell: what changed and why, nodes that came, warmed up and went, people. */
import type { Instant } from '../domain/instant.ts';
import type { ClusterModel, ModelEvent } from '../embedded/model.ts';
import { isUser, isWarm } from './recorder.ts';

export type Turn =
  | {
      readonly kind: 'nodesRequested' | 'nodesReady' | 'nodesWarm' | 'nodesGone';
      readonly pool: string;
      count: number;
    }
  | { readonly kind: 'spareTaken'; readonly pool: string; readonly wasWarm: boolean; count: number };

export interface TurnAt {
  readonly at: Instant;
  readonly turn: Turn;
}

/** What happens in the same minute is told once. */
const TOGETHER_MILLISECONDS = 60_000;

export class Chronicle {
  readonly turns: TurnAt[] = [];

  watch(model: ClusterModel): void {
    model.listen((event) => {
      const turn = turnOf(model, event);
      if (turn !== undefined) this.#tell(model.clock.now(), turn);
    });
  }

  #tell(at: Instant, turn: Turn): void {
    const earlier = this.turns.findLast((each) => isSameKind(each.turn, turn));
    if (earlier !== undefined && at - earlier.at < TOGETHER_MILLISECONDS) earlier.turn.count += turn.count;
    else this.turns.push({ at, turn });
  }
}

function isSameKind(a: Turn, b: Turn): boolean {
  return (
    a.kind === b.kind &&
    a.pool === b.pool &&
    (a.kind !== 'spareTaken' || b.kind !== 'spareTaken' || a.wasWarm === b.wasWarm)
  );
}

function turnOf(model: ClusterModel, event: ModelEvent): Turn | undefined {
  if (event.kind === 'nodeRequested') return { kind: 'nodesRequested', pool: event.pool, count: 1 };
  if (event.kind === 'podPreempted') return spareTaken(model, event);
  const kind = NODE_TURNS[event.kind];
  return kind !== undefined && 'node' in event ? { kind, pool: event.node.pool, count: 1 } : undefined;
}

const NODE_TURNS: Partial<Record<ModelEvent['kind'], 'nodesReady' | 'nodesWarm' | 'nodesGone'>> = {
  nodeReady: 'nodesReady',
  imagePulled: 'nodesWarm',
  nodeRemoved: 'nodesGone',
};

function spareTaken(
  model: ClusterModel,
  { pod, by }: Extract<ModelEvent, { kind: 'podPreempted' }>,
): Turn | undefined {
  if (pod.node === undefined || !isUser(by)) return undefined;
  return { kind: 'spareTaken', pool: pod.node.pool, wasWarm: isWarm(model, pod.node), count: 1 };
}
