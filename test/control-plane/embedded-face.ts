import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { createCluster } from '../../functions/embedded/cluster.ts';
import { startEmbeddedApi, type RequestRecord } from '../../functions/embedded/https.ts';
import { matchesTerm, parseSelector } from '../../functions/embedded/labels.ts';
import type { ClusterModel } from '../../functions/embedded/model.ts';
import { AdminClient } from './admin-client.ts';
import type { ApiFace } from './api-face.ts';
import type { AuditedRequest } from './audit-log.ts';
import { connectAdapter } from './connect.ts';
import { emailOf, tokenOf, type JobUserName } from './files.ts';
import { install } from './installation.ts';

const CERTIFICATES = join(import.meta.dirname, '..', 'certs');
const START_AT = Date.UTC(2026, 0, 5, 8);
const MINUTE_MS = 60_000;
/** Each passes a virtual second with every request it makes, so this is about three hours. */
const PROBES = 10_000;

/** The embedded cluster over HTTPS, with the same YAML applied as on a real one, and rights enforced. */
export async function openEmbeddedFace(user: JobUserName, namespace: string): Promise<ApiFace> {
  const model = createCluster({ startAt: START_AT, autoscaler: undefined });
  const [key, cert, ca] = ['server.key', 'server.pem', 'ca.pem'].map((name) =>
    readFileSync(join(CERTIFICATES, name), 'utf8'),
  ) as [string, string, string];
  const api = await startEmbeddedApi({
    model,
    tls: { key, cert, ca },
    users: {
      [tokenOf('admin')]: { name: 'admin', groups: ['system:masters'] },
      [tokenOf(user)]: { name: emailOf(user) },
    },
  });
  const admin = new AdminClient(api.url, { ca, token: tokenOf('admin') });
  await install(admin, user, namespace);
  return {
    admin,
    namespace,
    connect: (pageSize) => connectAdapter({ server: api.url, ca, token: tokenOf(user), namespace, pageSize }),
    waitUntil: probeInVirtualTime,
    letTimePass: (minutes) => {
      model.clock.runUntil(model.clock.now() + minutes * MINUTE_MS);
      return Promise.resolve();
    },
    requestsDuring: async (action) => {
      const before = api.requests.length;
      await action();
      return api.requests
        .slice(before)
        .filter((each) => each.user === emailOf(user))
        .map(toAudited);
    },
    watchPodCount: (selector) => Promise.resolve(countPods(model, namespace, selector)),
    close: async () => {
      await admin.close();
      await api.close();
    },
  };
}

/** The requests that a probe makes let virtual time pass: nobody has to wait. */
async function probeInVirtualTime<T>(what: string, probe: () => Promise<T | undefined | false>): Promise<T> {
  for (let count = 0; count < PROBES; count += 1) {
    const answer = await probe();
    if (answer !== undefined && answer !== false) return answer;
  }
  throw new Error(`probed ${PROBES} times in vain: ${what}`);
}

function toAudited({ method, uri }: RequestRecord): AuditedRequest {
  const path = uri.split('?')[0] ?? '';
  const isList = /\/(nodes|pods|deployments)$/.test(path);
  const verbs: Readonly<Record<string, string>> = {
    GET: isList ? 'list' : 'get',
    POST: 'create',
    PATCH: 'patch',
  };
  return { verb: verbs[method] ?? method.toLowerCase(), uri };
}

function countPods(model: ClusterModel, namespace: string, selector: string): { stop(): Promise<number> } {
  const terms = parseSelector(selector) ?? [];
  let most = 0;
  const count = () => {
    const pods = [...model.pods.values()].filter(
      ({ meta }) => meta.namespace === namespace && terms.every((term) => matchesTerm(meta.labels, term)),
    );
    most = Math.max(most, pods.length);
  };
  count();
  model.listen(count);
  return { stop: () => Promise.resolve(most) };
}
