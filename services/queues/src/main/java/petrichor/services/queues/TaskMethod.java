package petrichor.services.queues;

/** The HTTP method of a task. */
public enum TaskMethod {
    GET,
    POST,
    HEAD,
    PUT,
    DELETE,
    PATCH,
    OPTIONS
}
