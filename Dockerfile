# syntax=docker/dockerfile:1

FROM node:22-slim AS build
WORKDIR /app

# The manifests first: packages are installed again only when one of them changes.
COPY package.json package-lock.json .npmrc ./
COPY contract/package.json contract/
COPY server/package.json server/
COPY dashboard/package.json dashboard/
COPY simulator/package.json simulator/
COPY e2e/package.json e2e/
COPY sdks/node/package.json sdks/node/
COPY sdks/web/package.json sdks/web/
RUN npm ci --ignore-scripts --no-audit

COPY tsconfig.json ./
COPY scripts scripts
COPY contract contract
COPY dashboard dashboard
COPY simulator simulator
COPY server server
# The pages of /docs are made from these.
COPY site site
COPY docs docs
COPY README.md CONTRIBUTING.md LICENSE .env.example ./
# The embedded PostgreSQL is an optional package: here the database is always another container's.
RUN node scripts/build.mjs \
 && npm prune --omit=dev --omit=optional --no-audit \
 && rm -rf scripts tsconfig.json contract/src dashboard/src simulator/src server/src server/scripts sdks e2e contract/scripts site/src site/test docs *.md .env.example


FROM node:22-slim
ENV NODE_ENV=production \
    HOST=0.0.0.0 \
    PORT=3000
RUN groupadd --system countersign \
 && useradd --system --gid countersign --no-create-home --shell /usr/sbin/nologin countersign
WORKDIR /app
COPY --from=build /app ./
USER countersign
EXPOSE 3000

HEALTHCHECK --interval=10s --timeout=5s --start-period=30s --retries=3 \
  CMD ["node", "-e", "fetch('http://127.0.0.1:' + process.env.PORT + '/readyz').then((answer) => process.exit(answer.ok ? 0 : 1), () => process.exit(1))"]

# Node as the first process takes SIGTERM itself and stops cleanly.
ENTRYPOINT ["node", "server/dist/cli.js"]
CMD ["start"]
