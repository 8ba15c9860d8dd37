package petrichor.server.admin;

import com.google.datastore.v1.CommitRequest;
import com.google.datastore.v1.CommitResponse;
import com.google.datastore.v1.ReserveIdsRequest;
import com.google.datastore.v1.ReserveIdsResponse;
import java.util.concurrent.CompletionException;
import petrichor.base.PetrichorException;
import petrichor.client.EntityTarget;
import petrichor.entities.Datastore;

/** Target of an import into the databases of this process. Thread-safe. */
record LocalTarget(Datastore datastore) implements EntityTarget {
    @Override
    public CommitResponse commit(CommitRequest request) {
        try {
            return datastore.commit(request).join();
        } catch (CompletionException failed) {
            throw failed.getCause() instanceof PetrichorException known ? known : failed;
        }
    }

    @Override
    public ReserveIdsResponse reserveIds(ReserveIdsRequest request) {
        return datastore.reserveIds(request);
    }
}
