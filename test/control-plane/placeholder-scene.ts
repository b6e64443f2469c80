/** Placeholder Deployments as the product makes them, small enough for a test's nodes. */
import { wantedDeployment } from '../../functions/domain/placeholder-manifest.ts';
import { INSTANCE_LABEL, type PlaceholderSettings } from '../../functions/domain/placeholder.ts';
import type { ClusterQuery, WantedDeployment } from '../../functions/ports.ts';
import { POOL_LABEL } from './scene.ts';

export interface PlaceholderScene {
  readonly namespace: string;
  readonly pool: string;
  readonly replicas: number;
  /** Requested; `3500m` by default: one fits on a node of 4. */
  readonly cpu?: string;
  readonly tolerations?: PlaceholderSettings['tolerations'];
  readonly warmFirst?: boolean;
}

export function placeholders(scene: PlaceholderScene): WantedDeployment {
  const settings: PlaceholderSettings = {
    poolName: scene.pool,
    namespace: scene.namespace,
    image: 'registry.k8s.io/pause:3.10',
    priorityClassName: 'node-placeholder',
    nodeSelector: { [POOL_LABEL]: scene.pool },
    requests: { cpu: scene.cpu ?? '3500m', memory: '1Gi' },
    limits: {},
    tolerations: scene.tolerations ?? [],
  };
  return wantedDeployment(settings, {
    replicas: scene.replicas,
    why: { reason: 'a test asked for it', event: undefined, changedAt: Date.UTC(2026, 0, 5) },
    warmFirst: scene.warmFirst ?? true,
  });
}

export function podsOf(pool: string): string {
  return `${INSTANCE_LABEL}=${pool}`;
}

export function queryFor(namespace: string, pools: readonly string[]): ClusterQuery {
  return {
    namespace,
    nodePoolSelectorKey: POOL_LABEL,
    nodeLabels: pools,
    userImages: [],
    imagePullerSelectors: [],
    userPodSelectors: [],
    priorityClassName: 'node-placeholder',
    withObjects: false,
  };
}
