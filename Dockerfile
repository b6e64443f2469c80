# Two images by tag and digest: the tag is for the reader, the digest is what is pulled. To move to a newer one:
#   docker buildx imagetools inspect gcr.io/distroless/nodejs24-debian13:nonroot --format '{{.Manifest.Digest}}'
# (the same for node:24.x-trixie-slim), then put tag and digest here. test/infra holds both to the Node version that
# package.json pins.
ARG BUILD_IMAGE=node:24.21.0-trixie-slim@sha256:173f125896c3b47ddf056734c7ea789d04595a6a08769a8f78e0df642781fb66
ARG RUNTIME_IMAGE=gcr.io/distroless/nodejs24-debian13:nonroot@sha256:9eeb7f5887d0e239e78264b06f7f11d2e14be534050481803a9e4728fcdd278e

FROM ${BUILD_IMAGE} AS build

WORKDIR /src

# Before the sources, so that a change of those does not install everything anew.
COPY package.json package-lock.json ./
RUN npm ci --no-audit --no-fund

COPY tsconfig.json LICENSE ./
COPY scripts ./scripts
COPY functions ./functions
RUN npm run build

# What goes in, laid out as it will lie there, with one date for all: the same source gives the same layer.
RUN mkdir -p /out/app \
    && cp -r dist/main.mjs dist/chunks dist/THIRD-PARTY-NOTICES.txt LICENSE /out/app/ \
    && find /out -exec touch --no-dereference --date=@0 {} + \
    && du --apparent-size --bytes --all /out/app

# Node and nothing else: no shell, no package manager, no root.
FROM ${RUNTIME_IMAGE}

ENV NODE_ENV=production

COPY --from=build /out/ /

# The base says so too; said again because infra/ and docs/security.md rely on it.
USER 65532:65532

ENTRYPOINT ["/nodejs/bin/node", "/app/main.mjs"]
CMD ["--help"]
