package petrichor.services.queues.dispatch;

/** Between the dispatchers and the apps: the same tests pass with each. */
enum Transport {
    DIRECT,
    RABBITMQ
}
