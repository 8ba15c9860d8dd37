package petrichor.services.queues.rabbitmq;

/**
 * A notice that RabbitMQ delivered to this server and that is not acknowledged. Without an
 * acknowledgement, RabbitMQ delivers it again after the end of the connection, so both methods do
 * nothing after that. Thread-safe.
 */
interface Receipt {
    TaskNotice notice();

    /** RabbitMQ may forget the notice. */
    void acknowledge();

    /** RabbitMQ delivers the notice again, to this or another server. */
    void reject();
}
