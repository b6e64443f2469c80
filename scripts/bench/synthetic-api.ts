/**
 * A Kubernetes API server that holds nothing: lists are written as they are asked for, so that a cluster of any size fits
 * into a process of its own, beside the one that is measured. Started by synthetic.ts; speaks over its IPC channel.
 */
import { once } from 'node:events';
import { createSecureServer } from 'node:http2';
import type { Http2ServerRequest, Http2ServerResponse } from 'node:http2';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { constants, gzip } from 'node:zlib';
import { SyntheticCluster } from './synthetic-cluster.ts';
import type { SyntheticAnswer } from './synthetic-cluster.ts';
import type { Command, Reply, SyntheticSpec } from './synthetic-protocol.ts';

/** As kube-apiserver: its level, and the size from which it compresses at all. */
const GZIP_LEVEL = constants.Z_BEST_SPEED;
const GZIP_FROM_BYTES = 131_072;

const compress = promisify(gzip);

async function serve(cluster: SyntheticCluster, spec: SyntheticSpec): Promise<number> {
  const { key, cert } = spec.certificate;
  const server = createSecureServer({
    key,
    cert,
    allowHTTP1: true,
    // Of ALPNProtocols this kind of server takes no notice.
    ALPNCallback: ({ protocols }) => spec.protocols.find((protocol) => protocols.includes(protocol)),
  });
  server.on('secureConnection', () => {
    cluster.countConnection();
  });
  server.on('request', (request, response) => {
    // A client that goes away in the middle is what some scenarios are about.
    respond({ cluster, spec, request, response }).catch(() => {
      response.stream.destroy();
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  return typeof address === 'object' && address !== null ? address.port : 0;
}

interface Exchange {
  readonly cluster: SyntheticCluster;
  readonly spec: SyntheticSpec;
  readonly request: Http2ServerRequest;
  readonly response: Http2ServerResponse;
}

async function respond({ cluster, spec, request, response }: Exchange): Promise<void> {
  cluster.countArrival(request);
  const sent = await readAll(request);
  const { trouble } = cluster;
  if (trouble?.kind === 'silent') return;
  if (trouble?.kind === 'slow') await sleep(trouble.millis);
  const answer = cluster.isThrottling(request) ? TOO_MANY(trouble) : cluster.answer(request, sent);
  cluster.countRequest(answer.verb);
  const isCompressed = spec.gzip && mayCompress(request, answer);
  const body = isCompressed ? await compress(answer.body, { level: GZIP_LEVEL }) : answer.body;
  response.writeHead(answer.status, {
    'content-type': 'application/json',
    ...(isCompressed ? { 'content-encoding': 'gzip' } : {}),
    ...answer.headers,
  });
  response.end(body);
  cluster.countAnswer(answer.verb, body.length);
}

function mayCompress({ headers }: Http2ServerRequest, { body }: SyntheticAnswer): boolean {
  return body.length > GZIP_FROM_BYTES && headers['accept-encoding']?.toString().includes('gzip') === true;
}

const TOO_MANY = (trouble: SyntheticCluster['trouble']): SyntheticAnswer => ({
  verb: 'refused',
  status: 429,
  headers: { 'retry-after': String(trouble?.kind === 'throttled' ? trouble.retryAfterSeconds : 1) },
  body: Buffer.from('{"kind":"Status","code":429,"message":"too many requests"}'),
});

async function readAll(request: Http2ServerRequest): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(Buffer.from(chunk as Uint8Array));
  return Buffer.concat(chunks).toString('utf8');
}

function reply(message: Reply): void {
  process.send?.(message);
}

function obey(clusters: readonly SyntheticCluster[], command: Command): Reply {
  switch (command.kind) {
    case 'stats':
      return { kind: 'stats', clusters: clusters.map((cluster) => cluster.stats()) };
    case 'reset':
      for (const cluster of clusters) cluster.reset();
      return { kind: 'done' };
    case 'trouble': {
      const cluster = clusters[command.cluster];
      if (cluster !== undefined) cluster.trouble = command.trouble;
      return { kind: 'done' };
    }
  }
}

process.on('disconnect', () => {
  process.exit(0);
});
process.once('message', (spec: SyntheticSpec) => {
  const clusters = Array.from({ length: spec.clusters }, () => new SyntheticCluster(spec));
  process.on('message', (command: Command) => {
    reply(obey(clusters, command));
  });
  void Promise.all(clusters.map((cluster) => serve(cluster, spec))).then((ports) => {
    reply({ kind: 'listening', ports });
  });
});
