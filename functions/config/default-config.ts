/**
 * What the program runs on when it is given no config: one pool of an embedded cluster, a class of sixty on it.
 * The calendar of this morning comes with the demonstration.
 */
export const DEFAULT_CONFIG_SOURCE = 'embedded default';

export const DEFAULT_CONFIG = `
cluster: embedded
nodePools:
  base:
    replicas: 1
    maxReplicas: 10
    resources:
      requests:
        memory: 61483356160
`;
