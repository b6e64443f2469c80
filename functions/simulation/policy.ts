/** The policies that can be run on the same arrivals, and how they are written on the command line. */
import type { ClusterModel } from '../embedded/model.ts';
import { createAncestor, createConstant, NOBODY } from './compared-stewards.ts';
import { createProduct } from './product-steward.ts';
import type { Scenario } from './scenario.ts';
import type { Steward } from './steward.ts';

export type Policy =
  /** The product as it is configured. */
  | { readonly kind: 'product' }
  /** The product with `warmFirst` on, or off, whatever the config says. */
  | { readonly kind: 'warm-first' | 'plain' }
  | { readonly kind: 'none' | 'ancestor' }
  | { readonly kind: 'constant'; readonly replicas: number };

export const POLICY_NAMES = ['warm-first', 'plain', 'none', 'constant:N', 'ancestor'] as const;

/** Undefined for a name that is none of them. */
export function parsePolicy(text: string): Policy | undefined {
  const constant = /^constant:(\d{1,3})$/.exec(text);
  if (constant !== null) return { kind: 'constant', replicas: Number(constant[1]) };
  switch (text) {
    case 'product':
    case 'warm-first':
    case 'plain':
    case 'none':
    case 'ancestor':
      return { kind: text };
    default:
      return undefined;
  }
}

export function policyName(policy: Policy): string {
  return policy.kind === 'constant' ? `constant:${String(policy.replicas)}` : policy.kind;
}

export function startPolicy(policy: Policy, scenario: Scenario, model: ClusterModel): Steward {
  switch (policy.kind) {
    case 'product':
      return createProduct(scenario, model);
    case 'warm-first':
    case 'plain':
      return createProduct(withWarmFirst(scenario, policy.kind === 'warm-first'), model);
    case 'none':
      return NOBODY;
    case 'ancestor':
      return createAncestor(scenario, model);
    case 'constant':
      return createConstant(scenario, model, policy.replicas);
  }
}

function withWarmFirst(scenario: Scenario, warmFirst: boolean): Scenario {
  const clusters = scenario.settings.clusters.map((cluster) => ({
    ...cluster,
    warmFirst,
    pools: cluster.pools.map((pool) => ({ ...pool, settings: { ...pool.settings, warmFirst } })),
  }));
  return { ...scenario, settings: { ...scenario.settings, clusters } };
}
