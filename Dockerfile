# By digest; another registry's copy: --build-arg NODE_IMAGE=…
ARG NODE_IMAGE=docker.io/library/node:24.21.0-slim@sha256:0e0ff40c39bc087845bfb27465a0df4ea419520094bc35842ff83dd8cbe6f9b6
FROM ${NODE_IMAGE} AS build
# Where a company's proxy signs for npm's registry: --build-arg COMPANY_CA="$(cat ca.pem)"
ARG COMPANY_CA
WORKDIR /tally
COPY package.json package-lock.json LICENSE ./
RUN if [ -n "$COMPANY_CA" ]; then printf '%s\n' "$COMPANY_CA" >/tmp/ca.pem && export NODE_EXTRA_CA_CERTS=/tmp/ca.pem; fi \
  && npm ci --ignore-scripts --omit=dev
COPY build.js ./
COPY src src
# User 1000 reads these, whatever the umask of the checkout.
RUN npm run build && chmod a+r package.json LICENSE && chmod a+x dist/tally.js

FROM ${NODE_IMAGE}
ENV NODE_ENV=production
WORKDIR /tally
COPY --from=build /tally/package.json /tally/LICENSE ./
COPY --from=build /tally/dist dist
# The bundle needs no package manager.
RUN rm -rf /usr/local/lib/node_modules /usr/local/bin/npm /usr/local/bin/npx /usr/local/bin/corepack /opt/yarn* /usr/local/bin/yarn* \
  && ln -s /tally/dist/tally.js /usr/local/bin/tally
# By number, which Kubernetes can check.
USER 1000
EXPOSE 3000
HEALTHCHECK --interval=10s --timeout=3s --start-period=10s \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT || 3000}/healthz`).then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
CMD ["tally", "start"]
