package petrichor.server.backups;

import com.google.api.client.googleapis.json.GoogleJsonResponseException;
import com.google.api.client.http.HttpResponseException;
import com.google.api.services.storage.Storage;
import com.google.api.services.storage.model.Objects;
import com.google.api.services.storage.model.StorageObject;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;
import petrichor.movement.backups.BackupTarget;

/**
 * Backups in a bucket of Google Cloud Storage. A file is an object, written by a resumable upload:
 * one that ends early leaves no object. Requests that fail are repeated ({@link
 * CloudStorageConnection}). Thread-safe; an upload holds {@link CloudStorageUpload#CHUNK_BYTES} in
 * memory.
 *
 * @see <a href="https://cloud.google.com/storage/docs/resumable-uploads">Resumable uploads</a>
 */
final class CloudStorageTarget implements BackupTarget {
    private static final int UNAUTHENTICATED = 401;
    private static final int FORBIDDEN = 403;
    private static final int NOT_FOUND = 404;

    private final CloudStorageAddress address;
    private final Storage client;

    CloudStorageTarget(CloudStorageAddress address) {
        this(address, CloudStorageConnection.open(address));
    }

    CloudStorageTarget(CloudStorageAddress address, Storage client) {
        this.address = address;
        this.client = client;
    }

    @Override
    public List<String> list(String folder) {
        String root = address.object("");
        String below = folder.isEmpty() ? root : address.object(folder + "/");
        List<String> names = new ArrayList<>();
        try {
            @Nullable String page = null;
            do {
                Objects found =
                        client.objects()
                                .list(address.bucket())
                                .setPrefix(below)
                                .setPageToken(page)
                                .setFields("items(name),nextPageToken")
                                .execute();
                if (found.getItems() != null) {
                    for (StorageObject object : found.getItems()) {
                        names.add(object.getName().substring(root.length()));
                    }
                }
                page = found.getNextPageToken();
            } while (page != null && !page.isEmpty());
        } catch (IOException failed) {
            throw failure("list", below, failed);
        }
        names.sort(null);
        return names;
    }

    @Override
    public InputStream read(String name) {
        String object = address.object(name);
        try {
            Storage.Objects.Get get = client.objects().get(address.bucket(), object);
            get.getMediaHttpDownloader().setDirectDownloadEnabled(true);
            return get.executeMediaAsInputStream();
        } catch (IOException failed) {
            throw failure("read", object, failed);
        }
    }

    @Override
    public Upload write(String name) {
        return new CloudStorageUpload(this, client, address.bucket(), address.object(name));
    }

    @Override
    public void delete(String name) {
        String object = address.object(name);
        try {
            client.objects().delete(address.bucket(), object).execute();
        } catch (HttpResponseException answered) {
            if (answered.getStatusCode() != NOT_FOUND) {
                throw failure("delete", object, answered);
            }
        } catch (IOException failed) {
            throw failure("delete", object, failed);
        }
    }

    PetrichorException failure(String action, String object, IOException failed) {
        int status =
                failed instanceof HttpResponseException answered ? answered.getStatusCode() : 0;
        ErrorCode code =
                switch (status) {
                    case UNAUTHENTICATED, FORBIDDEN -> ErrorCode.PERMISSION_DENIED;
                    case NOT_FOUND -> ErrorCode.NOT_FOUND;
                    default -> ErrorCode.UNAVAILABLE;
                };
        return PetrichorException.of(
                code,
                failed,
                "cannot {action} {object} in the bucket {bucket}: {reason}",
                "action",
                action,
                "object",
                object,
                "bucket",
                address.bucket(),
                "reason",
                reason(failed));
    }

    private static String reason(IOException failed) {
        return switch (failed) {
            case GoogleJsonResponseException answered when answered.getDetails() != null ->
                    String.valueOf(answered.getDetails().getMessage());
            case HttpResponseException answered -> "HTTP status " + answered.getStatusCode();
            default -> String.valueOf(failed.getMessage());
        };
    }

    /** Without its options. */
    @Override
    public String toString() {
        return address.toString();
    }
}
