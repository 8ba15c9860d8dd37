package petrichor.frontends.appengine.blobstore;

import com.google.datastore.v1.CommitRequest;
import com.google.datastore.v1.Entity;
import com.google.datastore.v1.Key;
import com.google.datastore.v1.Mutation;
import com.google.datastore.v1.Value;
import com.google.protobuf.Timestamp;
import java.util.List;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import petrichor.entities.Datastore;
import petrichor.frontends.appengine.wire.UploadedBlob;

/**
 * The entities of kind {@code __BlobInfo__}, which describe the uploaded blobs of an app. Clients
 * read and query them like others, and cannot write them. Needs the owner of the app's database.
 * Thread-safe.
 */
public final class BlobInfos {
    private static final String KIND = "__BlobInfo__";

    private final Supplier<Datastore> datastore;

    /**
     * @param datastore the current one, which a reset replaces
     */
    public BlobInfos(Supplier<Datastore> datastore) {
        this.datastore = datastore;
    }

    void put(String project, List<UploadedBlob> blobs) {
        CommitRequest.Builder commit = commit(project);
        for (UploadedBlob blob : blobs) {
            Entity.Builder entity = Entity.newBuilder().setKey(key(project, blob.getBlobKey()));
            entity.putProperties("content_type", text(blob.getContentType()));
            entity.putProperties("filename", text(blob.getFilename()));
            entity.putProperties("md5_hash", text(blob.getMd5()));
            entity.putProperties(
                    "size", Value.newBuilder().setIntegerValue(blob.getBytes()).build());
            entity.putProperties("creation", time(blob.getCreatedMicros()));
            commit.addMutations(Mutation.newBuilder().setUpsert(entity));
        }
        apply(commit.build());
    }

    void delete(String project, String blobKey) {
        apply(
                commit(project)
                        .addMutations(Mutation.newBuilder().setDelete(key(project, blobKey)))
                        .build());
    }

    private static CommitRequest.Builder commit(String project) {
        return CommitRequest.newBuilder()
                .setProjectId(project)
                .setMode(CommitRequest.Mode.NON_TRANSACTIONAL);
    }

    private void apply(CommitRequest commit) {
        try {
            var _ = datastore.get().applyReserved(commit).join();
        } catch (CompletionException failed) {
            throw failed.getCause() instanceof RuntimeException cause ? cause : failed;
        }
    }

    private static Key key(String project, String blobKey) {
        Key.Builder key = Key.newBuilder();
        key.getPartitionIdBuilder().setProjectId(project);
        key.addPathBuilder().setKind(KIND).setName(blobKey);
        return key.build();
    }

    private static Value text(String text) {
        return Value.newBuilder().setStringValue(text).build();
    }

    private static Value time(long micros) {
        long seconds = TimeUnit.MICROSECONDS.toSeconds(micros);
        int rest = (int) (micros - TimeUnit.SECONDS.toMicros(seconds));
        return Value.newBuilder()
                .setTimestampValue(
                        Timestamp.newBuilder()
                                .setSeconds(seconds)
                                .setNanos((int) TimeUnit.MICROSECONDS.toNanos(rest)))
                .build();
    }
}
