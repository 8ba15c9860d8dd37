package petrichor.server.replication;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** The replicas in files that this server writes, one process each. Thread-safe. */
final class FileReplicas implements AutoCloseable {
    private final Map<FilePlace, FileReplica> replicas = new ConcurrentHashMap<>();

    FileReplica of(FilePlace place) {
        return replicas.computeIfAbsent(place, FileReplica::new);
    }

    @Override
    public void close() {
        replicas.values().forEach(FileReplica::close);
    }
}
