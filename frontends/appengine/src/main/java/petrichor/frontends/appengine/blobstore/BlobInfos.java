package petrichor.frontends.appengine.blobstore;

import com.google.datastore.v1.Entity;
import com.google.datastore.v1.Value;
import com.google.protobuf.Timestamp;
import java.util.List;
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
    private final ReservedEntities entities;

    /**
     * @param datastore the current one, which a reset replaces
     */
    public BlobInfos(Supplier<Datastore> datastore) {
        this.entities = new ReservedEntities(datastore, "__BlobInfo__");
    }

    void put(String project, List<UploadedBlob> blobs) {
        entities.put(project, blobs.stream().map(blob -> entity(project, blob)).toList());
    }

    void delete(String project, String blobKey) {
        entities.delete(project, blobKey);
    }

    private Entity entity(String project, UploadedBlob blob) {
        return Entity.newBuilder()
                .setKey(entities.key(project, blob.getBlobKey()))
                .putProperties("content_type", text(blob.getContentType()))
                .putProperties("filename", text(blob.getFilename()))
                .putProperties("md5_hash", text(blob.getMd5()))
                .putProperties("size", Value.newBuilder().setIntegerValue(blob.getBytes()).build())
                .putProperties("creation", time(blob.getCreatedMicros()))
                .build();
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
