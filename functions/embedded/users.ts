/** People: they log in, wait until their server runs, work, and leave; a server whose node is lost starts elsewhere. */
import type { Instant } from '../domain/instant.ts';
import type { ClusterModel } from './model.ts';
import type { JsonObject, Pod, Resources, Taint } from './objects.ts';
import { readPodNeeds } from './pod-spec.ts';
import { HUB_NAMESPACE, USER_LABELS } from './settings.ts';
import type { PoolSpec } from './settings.ts';

export interface Visit {
  readonly at: Instant;
  readonly pool: string;
  /** From logging in until the server is gone, culling included. */
  readonly staySeconds: number;
  /** The class or trickle that it belongs to. */
  readonly group: string;
  /** When the class began; undefined for people who come one by one. */
  readonly sessionAt: Instant | undefined;
}

export interface VisitRecord {
  readonly visit: Visit;
  /** When the server's containers ran for the first time; undefined: never before the person left. */
  readyAt: Instant | undefined;
  /** How often its node was taken from under it. */
  interruptions: number;
  isGone: boolean;
}

export interface Crowd {
  /** One for each visit, in the same order; they fill as time passes. */
  readonly records: readonly VisitRecord[];
  /** Those who wait now. */
  readonly waiting: ReadonlySet<VisitRecord>;
}

/** Schedules every visit. */
export function sendUsers(
  model: ClusterModel,
  visits: readonly Visit[],
  shapes: ReadonlyMap<string, JsonObject>,
): Crowd {
  const byPod = new Map<Pod, VisitRecord>();
  const waiting = new Set<VisitRecord>();

  function startServer(record: VisitRecord, shape: JsonObject): void {
    waiting.add(record);
    const pod = model.addPod({
      namespace: HUB_NAMESPACE,
      name: model.newPodName(HUB_NAMESPACE, 'jupyter-', 8),
      labels: USER_LABELS,
      spec: shape,
      needs: readPodNeeds(shape),
    });
    byPod.set(pod, record);
  }

  function leave(record: VisitRecord): void {
    record.isGone = true;
    waiting.delete(record);
    for (const [pod, owner] of byPod) if (owner === record) model.deletePod(pod, 'loggedOut');
  }

  model.listen((event) => {
    if (event.kind !== 'podReady' && event.kind !== 'podRemoved') return;
    const record = byPod.get(event.pod);
    if (record === undefined) return;
    if (event.kind === 'podReady') {
      record.readyAt ??= model.clock.now();
      waiting.delete(record);
      return;
    }
    byPod.delete(event.pod);
    const shape = shapes.get(record.visit.pool);
    if (record.isGone || shape === undefined) return;
    record.interruptions += 1;
    startServer(record, shape);
  });

  const records = visits.map((visit) => {
    const record: VisitRecord = {
      visit,
      readyAt: undefined,
      interruptions: 0,
      isGone: false,
    };
    const shape = shapes.get(visit.pool);
    if (shape === undefined) throw new Error(`no user shape for pool ${visit.pool}`);
    model.clock.at(visit.at, () => {
      startServer(record, shape);
      model.clock.after(visit.staySeconds, () => {
        leave(record);
      });
    });
    return record;
  });
  return { records, waiting };
}

/** The pod spec of a pool's users, as JupyterHub's spawner writes it: its own scheduler packs nodes. */
export function userShape(pool: PoolSpec, requests: Resources): JsonObject {
  return {
    schedulerName: 'user-scheduler',
    nodeSelector: pool.labels,
    tolerations: pool.taints.map(toleration),
    terminationGracePeriodSeconds: 30,
    containers: [
      {
        name: 'notebook',
        image: pool.userImage ?? 'registry.example/user-image:1',
        resources: {
          requests: { cpu: `${String(requests.cpuMillis)}m`, memory: String(requests.memoryBytes) },
        },
      },
    ],
  };
}

function toleration(taint: Taint): JsonObject {
  return { key: taint.key, operator: 'Exists', effect: taint.effect };
}
