FROM node:24-slim AS build
WORKDIR /tally
COPY package.json package-lock.json ./
RUN npm ci --ignore-scripts
COPY tsconfig.json tsconfig.build.json ./
COPY src src
RUN npm run build && npm prune --omit=dev --ignore-scripts

FROM node:24-slim
ENV NODE_ENV=production
WORKDIR /tally
COPY --from=build /tally/package.json ./
COPY --from=build /tally/node_modules node_modules
COPY --from=build /tally/dist dist
USER node
EXPOSE 3000
HEALTHCHECK --interval=10s --timeout=3s --start-period=10s \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT || 3000}/healthz`).then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
# Not through npm: it would keep SIGTERM from the bot, which drains what it is answering.
CMD ["node", "dist/main.js"]
