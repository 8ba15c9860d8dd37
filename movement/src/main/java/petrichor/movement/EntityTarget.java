package petrichor.movement;

import com.google.datastore.v1.CommitRequest;
import com.google.datastore.v1.CommitResponse;
import com.google.datastore.v1.ReserveIdsRequest;
import com.google.datastore.v1.ReserveIdsResponse;

/** Where an import writes to: a server, or the database of this process. Safe for any thread. */
public interface EntityTarget {
    CommitResponse commit(CommitRequest request);

    ReserveIdsResponse reserveIds(ReserveIdsRequest request);
}
