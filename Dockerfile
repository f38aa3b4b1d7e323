# syntax=docker/dockerfile:1

FROM node:24-alpine AS build
WORKDIR /app

# The manifests are copied first, so that packages are installed again only when one of them changes.
COPY package.json package-lock.json .npmrc ./
COPY contract/package.json contract/
COPY server/package.json server/
COPY dashboard/package.json dashboard/
COPY simulator/package.json simulator/
COPY e2e/package.json e2e/
COPY sdks/node/package.json sdks/node/
COPY sdks/web/package.json sdks/web/
COPY sdks/react/package.json sdks/react/
RUN npm ci --ignore-scripts --no-audit

COPY tsconfig.json ./
COPY scripts scripts
COPY contract contract
COPY dashboard dashboard
COPY simulator simulator
COPY server server
# The pages of /docs are built from these.
COPY site site
COPY docs docs
COPY README.md CONTRIBUTING.md LICENSE .env.example ./
# Source maps are for debugging, and are not shipped.
RUN node scripts/build.mjs && find server/dist simulator/dist dashboard/dist site/dist -name '*.map' -delete


FROM node:24-alpine
# The service writes only to DATA_DIR and /tmp, and only what may be lost, so the root file system can be read-only.
ENV NODE_ENV=production \
    HOST=0.0.0.0 \
    PORT=3000 \
    DATA_DIR=/tmp/countersign
# Programs of the base image that are not needed here, and would have to be kept up to date.
RUN rm -rf /usr/local/lib/node_modules /usr/local/bin/npm /usr/local/bin/npx /usr/local/bin/corepack /opt/yarn*
WORKDIR /app
# Libraries are bundled into the programs. The embedded PostgreSQL is left out: here the database runs elsewhere.
COPY --from=build /app/server/package.json server/package.json
COPY --from=build /app/server/migrations server/migrations
COPY --from=build /app/server/dist server/dist
COPY --from=build /app/dashboard/dist dashboard/dist
COPY --from=build /app/site/dist site/dist
COPY --from=build /app/simulator/dist simulator/dist
# Commands have the name by which messages and documents call them.
RUN ln -s /app/server/dist/cli.js /usr/local/bin/countersign
# The image's user node as a number, by which Kubernetes can tell that it is not root.
USER 1000:1000
EXPOSE 3000

HEALTHCHECK --interval=10s --timeout=5s --start-period=30s --retries=3 \
  CMD ["node", "-e", "fetch('http://127.0.0.1:' + process.env.PORT + '/readyz').then((answer) => process.exit(answer.ok ? 0 : 1), () => process.exit(1))"]

# As the first process Node gets SIGTERM itself, and stops cleanly. A larger young generation means less copying in
# garbage collections.
ENTRYPOINT ["node", "--max-semi-space-size=64", "server/dist/cli.js"]
CMD ["start"]
