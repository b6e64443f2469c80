/** Machines: a node that was asked for registers, turns Ready after its boot time, and may be reclaimed if it is spot. */
import type { BootingNode, ClusterModel } from './model.ts';
import type { Node } from './objects.ts';
import { drawExponential, drawSeconds } from './random.ts';
import type { PoolSpec } from './settings.ts';

const SPOT_NOTICE_SECONDS = 30;
const ZONE_LABEL = 'topology.kubernetes.io/zone';

/** A node of the pool, not yet standing in the cluster. */
export function newNode(model: ClusterModel, pool: PoolSpec, zone: string): Node {
  const name = model.newName(`gke-${pool.name}-${zone}-`, 4, (taken) => model.nodes.has(taken));
  const labels = {
    ...pool.labels,
    'kubernetes.io/hostname': name,
    'cloud.google.com/gke-nodepool': pool.name,
    [ZONE_LABEL]: zone,
  };
  return {
    meta: model.newMeta({ name, labels }),
    pool: pool.name,
    zone,
    pods: new Set(),
    images: new Set(),
    pulls: new Map(),
    allocatable: pool.allocatable,
    taints: pool.taints,
    isCordoned: false,
    ready: 'False',
    readySinceAt: undefined,
    used: { cpuMillis: 0, memoryBytes: 0 },
    isGone: false,
    givenStatus: undefined,
  };
}

/** A node that stands and is warm already, as at the start of a day. */
export function addWarmNode(model: ClusterModel, pool: PoolSpec, zone: string): Node {
  const node = newNode(model, pool, zone);
  if (pool.userImage !== undefined) node.images.add(pool.userImage);
  model.addNode(node);
  model.setReady(node, 'True');
  return node;
}

/** Asks the cloud for a node; it stands after the pool's boot time. Refused at once in a stock-out or over quota. */
export function requestNode(model: ClusterModel, pool: PoolSpec, zone: string): 'requested' | 'refused' {
  const message = refusalOf(model, pool, zone);
  if (message !== undefined) {
    model.emit({ kind: 'nodeRefused', pool: pool.name, zone, message });
    return 'refused';
  }
  const seconds = drawSeconds(pool.boot, model.chance('boots'));
  const booting: BootingNode = { pool, zone, readyAt: model.clock.now() + seconds * 1000 };
  model.booting.add(booting);
  model.emit({ kind: 'nodeRequested', pool: pool.name, zone });
  model.clock.after(Math.max(0, seconds - model.settings.registerSeconds), () => {
    model.booting.delete(booting);
    const node = newNode(model, pool, zone);
    model.addNode(node);
    model.clock.at(booting.readyAt, () => {
      if (!node.isGone) model.setReady(node, 'True');
    });
  });
  return 'requested';
}

function refusalOf(model: ClusterModel, pool: PoolSpec, zone: string): string | undefined {
  const now = model.clock.now();
  const isOut = model.settings.stockOuts.some(
    (out) => out.pool === pool.name && (out.zone ?? zone) === zone && out.fromAt <= now && now < out.toAt,
  );
  if (isOut) return `ZONE_RESOURCE_POOL_EXHAUSTED: ${zone} has no machine to give`;
  return model.nodes.size + model.booting.size >= model.settings.nodeQuota ? 'QUOTA_EXCEEDED' : undefined;
}

/** Spot machines are taken back after a random life, on thirty seconds' notice; the pool asks for another at once. */
export function runSpotReclaim(model: ClusterModel): void {
  const random = model.chance('spot');
  model.listen((event) => {
    if (event.kind !== 'nodeReady') return;
    const { node } = event;
    const pool = model.poolOf(node);
    if (pool?.spotMeanHours === undefined) return;
    model.clock.after(drawExponential(pool.spotMeanHours * 3600, random), () => {
      if (!node.isGone) reclaim(model, node, pool);
    });
  });
}

function reclaim(model: ClusterModel, node: Node, pool: PoolSpec): void {
  model.emit({ kind: 'nodeReclaimed', node });
  node.isCordoned = true;
  model.changeNode(node);
  model.clock.after(SPOT_NOTICE_SECONDS, () => {
    if (node.isGone) return;
    model.removeNode(node);
    requestNode(model, pool, node.zone);
  });
}
