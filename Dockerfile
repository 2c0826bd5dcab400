# By digest, so that the same release is made of the same base; another registry's copy: --build-arg NODE_IMAGE=…
ARG NODE_IMAGE=docker.io/library/node:24.21.0-slim@sha256:0e0ff40c39bc087845bfb27465a0df4ea419520094bc35842ff83dd8cbe6f9b6
FROM ${NODE_IMAGE} AS build
WORKDIR /tally
COPY package.json package-lock.json LICENSE ./
RUN npm ci --ignore-scripts
COPY build.js build-if-changed.js ./
COPY src src
# User 1000 reads these, whatever the umask of the checkout.
RUN npm run build && chmod a+r package.json LICENSE

FROM ${NODE_IMAGE}
# glibc keeps freed memory apart for each thread; with two arenas an idle bot takes about 4 MB less.
# A load balancer goes on sending requests for a moment after it was told that the container stops.
ENV NODE_ENV=production MALLOC_ARENA_MAX=2 SHUTDOWN_DELAY=5
WORKDIR /tally
# A release puts its own files in the place of this stage.
COPY --from=build /tally/package.json /tally/LICENSE ./
COPY --from=build /tally/dist dist
# The bundle needs no package manager.
RUN rm -rf /usr/local/lib/node_modules /usr/local/bin/npm /usr/local/bin/npx /usr/local/bin/corepack /opt/yarn* /usr/local/bin/yarn* \
  && ln -s /tally/dist/tally.js /usr/local/bin/tally \
  && mkdir -m 777 dist/compile-cache
# Without an environment `start` loads, says so and ends: what Node compiled meanwhile stays in the image, and every start is
# quicker. Node keeps it for each user; without the seed it would differ from build to build.
USER 1000
RUN node --random-seed=1 dist/tally.js start >/dev/null 2>&1 || [ $? -eq 78 ]
USER root
RUN chown -R root:root dist/compile-cache && chmod -R u+w,go-w,a+rX dist/compile-cache
# By number, which Kubernetes can check.
USER 1000
EXPOSE 3000
HEALTHCHECK --interval=10s --timeout=3s --start-period=10s \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT || 3000}/healthz`).then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
CMD ["tally", "start"]
