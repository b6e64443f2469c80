/** Puts a policy in charge of a model. Apart from their names, since the command line knows those without loading all this. */
import type { ClusterModel } from '../embedded/model.ts';
import { createAncestor, createConstant, NOBODY } from './compared-stewards.ts';
import { createProduct } from './product-steward.ts';
import type { Scenario } from './scenario.ts';
import type { Steward } from './steward.ts';
import type { Policy } from './policy.ts';

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
