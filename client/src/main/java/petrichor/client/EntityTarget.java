package petrichor.client;

import com.google.datastore.v1.CommitRequest;
import com.google.datastore.v1.CommitResponse;
import com.google.datastore.v1.ReserveIdsRequest;
import com.google.datastore.v1.ReserveIdsResponse;

/** The target of an import: a server, or the databases of this process. Thread-safe. */
public interface EntityTarget {
    CommitResponse commit(CommitRequest request);

    ReserveIdsResponse reserveIds(ReserveIdsRequest request);
}
