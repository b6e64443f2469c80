/**
 * Leaves out of the bundle what libraries load at their start and a pass never uses. Each of these is a good part of a
 * pass's CPU, and a pass runs every minute (`npm run bench -- --only start-up`):
 *
 * - gRPC. Firestore is spoken to over REST (`preferRest`) and GKE by its client's HTTP fallback; that library loads gRPC
 *   all the same. Whatever would call it fails with "is not a function", and a test brings each client to its service.
 * - Kubernetes' API classes, for whoever reads a kubeconfig. That part of the client wants two names of the index that
 *   loads them all.
 * - zod's messages in forty languages. English is what it speaks unless told.
 * - The API clients of Cloud Logging. Lines go to stdout; the library makes its clients even so, and they only have to
 *   be there.
 * - The message classes that protobufjs wrote for Firestore and for three small services of every Google client, 2 MB of
 *   source that is handed on to whoever wants it. The clients themselves read the descriptions in JSON beside them.
 * - Streams for a Node that has none.
 */
import type { Plugin } from 'esbuild';

/** A class to extend, and credentials for the emulator that are handed on to nobody. */
const GRPC = `
module.exports = { Client: class {}, credentials: { createInsecure: () => undefined } };
`;

const LOGGING_API = `
class Client {
  static scopes = [];
}
module.exports = {
  protos: {},
  ConfigServiceV2Client: Client,
  LoggingServiceV2Client: Client,
  MetricsServiceV2Client: Client,
};
`;

const KUBERNETES_INDEX = `
export { createConfiguration } from './gen/configuration.js';
export { ServerConfiguration } from './gen/servers.js';
`;

const REPLACEMENTS: ReadonlyMap<string, string> = new Map([
  ['@grpc/grpc-js', GRPC],
  ['@grpc/proto-loader', 'module.exports = {};'],
  ['@google-cloud/logging-api', LOGGING_API],
  ['../locales/index.js', 'export {};'],
  ['./gen/index.js', KUBERNETES_INDEX],
]);

/** Firestore names one class at its start, for pipelines. */
const NOTHING_IN_IT = 'module.exports = { google: { firestore: { v1: {} } } };';

/** Files that libraries hand on, and of which nothing here takes anything. */
const NOT_USED =
  /node_modules\/(?:@google-cloud\/firestore-api\/build\/protos\/protos|google-gax\/build\/protos\/(?:iam_service|locations|operations)|web-streams-polyfill\/dist\/ponyfill\.es2018)\.js$/;

export function leaveOutUnusedParts(): Plugin {
  return {
    name: 'leave-out-unused-parts',
    setup(build) {
      build.onResolve(
        { filter: /^(?:@grpc\/(?:grpc-js|proto-loader)|@google-cloud\/logging-api)$/ },
        ({ path }) => ({
          path,
          namespace: 'replacement',
        }),
      );
      build.onResolve({ filter: /^\.\.\/locales\/index\.js$/ }, ({ importer, path }) =>
        /node_modules\/zod\//.test(importer) ? { path, namespace: 'replacement' } : undefined,
      );
      build.onResolve({ filter: /^\.\/gen\/index\.js$/ }, ({ importer, path, resolveDir }) =>
        /client-node\/dist\/config\.js$/.test(importer)
          ? { path, namespace: 'replacement', pluginData: { resolveDir } }
          : undefined,
      );
      build.onLoad({ filter: NOT_USED }, () => ({ contents: NOTHING_IN_IT, loader: 'js' }));
      build.onLoad({ filter: /.*/, namespace: 'replacement' }, ({ path, pluginData }) => ({
        contents: REPLACEMENTS.get(path) ?? '',
        loader: 'js',
        // Where what the replacement itself imports is looked for.
        ...(pluginData as { readonly resolveDir: string } | undefined),
      }));
    },
  };
}
