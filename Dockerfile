# syntax=docker/dockerfile:1

FROM node:22-alpine AS build
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
COPY sdks/react/package.json sdks/react/
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
RUN node scripts/build.mjs


FROM node:22-alpine
# Nothing is written but under DATA_DIR and /tmp, and there only what can be lost: the root may be read-only.
ENV NODE_ENV=production \
    HOST=0.0.0.0 \
    PORT=3000 \
    DATA_DIR=/tmp/countersign
# Programs of the base image that nobody needs here, and that would need updates.
RUN rm -rf /usr/local/lib/node_modules /usr/local/bin/npm /usr/local/bin/npx /usr/local/bin/corepack /opt/yarn*
WORKDIR /app
# Libraries are inside the programs. The embedded PostgreSQL is left out: here the database is always another container's.
COPY --from=build /app/server/package.json server/package.json
COPY --from=build /app/server/migrations server/migrations
COPY --from=build /app/server/dist server/dist
COPY --from=build /app/dashboard/dist dashboard/dist
COPY --from=build /app/site/dist site/dist
COPY --from=build /app/simulator/dist simulator/dist
# The image's user node, as a number, so that Kubernetes can see that it is not root.
USER 1000:1000
EXPOSE 3000

HEALTHCHECK --interval=10s --timeout=5s --start-period=30s --retries=3 \
  CMD ["node", "-e", "fetch('http://127.0.0.1:' + process.env.PORT + '/readyz').then((answer) => process.exit(answer.ok ? 0 : 1), () => process.exit(1))"]

# Node as the first process takes SIGTERM itself and stops cleanly. With more room for what is young, less of it is copied.
ENTRYPOINT ["node", "--max-semi-space-size=64", "server/dist/cli.js"]
CMD ["start"]
