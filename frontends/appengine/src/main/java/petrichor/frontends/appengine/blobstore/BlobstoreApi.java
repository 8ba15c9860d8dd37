package petrichor.frontends.appengine.blobstore;

import com.google.appengine.api.blobstore.BlobstoreServicePb.BlobstoreServiceError.ErrorCode;
import com.google.appengine.api.blobstore.BlobstoreServicePb.CreateEncodedGoogleStorageKeyRequest;
import com.google.appengine.api.blobstore.BlobstoreServicePb.CreateEncodedGoogleStorageKeyResponse;
import com.google.appengine.api.blobstore.BlobstoreServicePb.CreateUploadURLRequest;
import com.google.appengine.api.blobstore.BlobstoreServicePb.CreateUploadURLResponse;
import com.google.appengine.api.blobstore.BlobstoreServicePb.DecodeBlobKeyRequest;
import com.google.appengine.api.blobstore.BlobstoreServicePb.DecodeBlobKeyResponse;
import com.google.appengine.api.blobstore.BlobstoreServicePb.DeleteBlobRequest;
import com.google.appengine.api.blobstore.BlobstoreServicePb.FetchDataRequest;
import com.google.appengine.api.blobstore.BlobstoreServicePb.FetchDataResponse;
import com.google.apphosting.base.protos.api.ApiBasePb.VoidProto;
import com.google.protobuf.ByteString;
import com.google.protobuf.MessageLite;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import petrichor.base.PetrichorException;
import petrichor.frontends.appengine.BundledService;
import petrichor.frontends.appengine.CallingApp;
import petrichor.frontends.appengine.ServiceCall;
import petrichor.frontends.appengine.ServiceError;
import petrichor.frontends.appengine.wire.CompletedUpload;
import petrichor.services.blobs.BlobObject;
import petrichor.services.blobs.Blobs;
import petrichor.services.blobs.FormSessions;
import petrichor.services.blobs.Objects;
import petrichor.services.blobs.Preconditions;
import petrichor.services.blobs.content.ContentReader;

/** The API {@code blobstore} on {@link Blobs}. Thread-safe. */
public final class BlobstoreApi implements BundledService {
    /** A method of the platform itself: describes uploaded blobs. */
    static final String COMPLETE = PLATFORM + "CompleteUpload";

    /** The SDK's own limit on the bytes of one fetch. */
    private static final long FETCH_BYTES_MAX = (1 << 20) - (1 << 15);

    private static final int PATH_CHARS_MAX = 2_000;
    private static final Duration LIFETIME = Duration.ofMinutes(10);

    private final Blobs blobs;
    private final BlobInfos infos;
    private final Function<CallingApp, String> uploadBase;

    /**
     * @param uploadBase beginning of the URLs to which browsers upload forms
     */
    public BlobstoreApi(Blobs blobs, BlobInfos infos, Function<CallingApp, String> uploadBase) {
        this.blobs = blobs;
        this.infos = infos;
        this.uploadBase = uploadBase;
    }

    @Override
    public String name() {
        return "blobstore";
    }

    @Override
    public CompletableFuture<byte[]> call(ServiceCall call) {
        return CompletableFuture.completedFuture(answer(call).toByteArray());
    }

    private MessageLite answer(ServiceCall call) {
        String project = call.app().project();
        return switch (call.method()) {
            case "CreateUploadURL" ->
                    uploadUrl(call.app(), call.parsed(CreateUploadURLRequest.parser()));
            case "FetchData" -> fetched(project, call.parsed(FetchDataRequest.parser()));
            case "DeleteBlob" -> deleted(project, call.parsed(DeleteBlobRequest.parser()));
            case "CreateEncodedGoogleStorageKey" ->
                    encoded(call.parsed(CreateEncodedGoogleStorageKeyRequest.parser()));
            case "DecodeBlobKey" -> decoded(call.parsed(DecodeBlobKeyRequest.parser()));
            case COMPLETE -> described(project, call.parsed(CompletedUpload.parser()));
            default -> throw call.unknownMethod();
        };
    }

    private static ServiceError error(ErrorCode code, String text) {
        return new ServiceError(code.getNumber(), text);
    }

    private CreateUploadURLResponse uploadUrl(CallingApp app, CreateUploadURLRequest request) {
        String path = request.getSuccessPath();
        if (path.length() > PATH_CHARS_MAX) {
            throw error(ErrorCode.URL_TOO_LONG, "the success path is longer than 2000 characters");
        }
        if (!path.startsWith("/")) {
            throw error(
                    ErrorCode.ARGUMENT_OUT_OF_RANGE,
                    "the success path must be a path of the app, such as /uploaded");
        }
        long bytesMax = limit(request.hasMaxUploadSizeBytes(), request.getMaxUploadSizeBytes());
        long perBlobMax =
                limit(
                        request.hasMaxUploadSizePerBlobBytes(),
                        request.getMaxUploadSizePerBlobBytes());
        if (bytesMax < perBlobMax && request.hasMaxUploadSizePerBlobBytes()) {
            throw error(
                    ErrorCode.ARGUMENT_OUT_OF_RANGE,
                    "the maximum of one blob is larger than that of the upload");
        }
        Duration lifetime =
                request.hasUrlExpiryTimeSeconds()
                        ? Duration.ofSeconds(request.getUrlExpiryTimeSeconds())
                        : LIFETIME;
        if (lifetime.isNegative()
                || lifetime.isZero()
                || lifetime.compareTo(FormSessions.LIFETIME_MAX) > 0) {
            throw error(
                    ErrorCode.ARGUMENT_OUT_OF_RANGE,
                    "a URL for uploads is valid for 1 second to 24 hours");
        }
        String id =
                blobs.forms()
                        .start(
                                app.project(),
                                new FormSessions.Form(
                                        path,
                                        bytesMax,
                                        Math.min(bytesMax, perBlobMax),
                                        bucket(request.getGsBucketName())),
                                lifetime);
        return CreateUploadURLResponse.newBuilder()
                .setUrl(uploadBase.apply(app) + UploadPages.PATH + app.project() + "/" + id)
                .build();
    }

    private static long limit(boolean given, long wanted) {
        if (given && wanted <= 0) {
            throw error(ErrorCode.ARGUMENT_OUT_OF_RANGE, "a maximum size must be positive");
        }
        return given ? Math.min(wanted, Objects.BYTES_MAX) : Objects.BYTES_MAX;
    }

    private static String bucket(String name) {
        String path = name.startsWith(BlobKeys.GOOGLE_STORAGE) ? name.substring(4) : name;
        return path.endsWith("/") ? path.substring(0, path.length() - 1) : path;
    }

    private FetchDataResponse fetched(String project, FetchDataRequest request) {
        long from = request.getStartIndex();
        long to = request.getEndIndex() + 1;
        if (from < 0 || to <= from) {
            throw error(
                    ErrorCode.DATA_INDEX_OUT_OF_RANGE,
                    "the first index must not be negative, nor behind the last one");
        }
        if (to - from > FETCH_BYTES_MAX) {
            throw error(
                    ErrorCode.BLOB_FETCH_SIZE_TOO_LARGE,
                    "one call fetches at most " + FETCH_BYTES_MAX + " bytes");
        }
        BlobObject blob =
                BlobKeys.find(blobs, project, request.getBlobKey())
                        .orElseThrow(
                                () -> error(ErrorCode.BLOB_NOT_FOUND, "there is no such blob"));
        ByteString.Output data = ByteString.newOutput();
        long end = Math.min(to, blob.bytes());
        if (from < end) {
            try (ContentReader reader = blobs.objects().read(blob, from, end)) {
                for (byte[] piece = reader.next(); piece != null; piece = reader.next()) {
                    data.write(piece, 0, piece.length);
                }
            }
        }
        return FetchDataResponse.newBuilder().setData(data.toByteString()).build();
    }

    /** Blobs that do not exist, or belong to others, are no error. */
    private MessageLite deleted(String project, DeleteBlobRequest request) {
        for (String key : request.getBlobKeyList()) {
            BlobKeys.find(blobs, project, key).ifPresent(this::delete);
            infos.delete(project, key);
        }
        return VoidProto.getDefaultInstance();
    }

    private MessageLite described(String project, CompletedUpload upload) {
        infos.put(project, upload.getBlobsList());
        return VoidProto.getDefaultInstance();
    }

    private void delete(BlobObject blob) {
        try {
            blobs.objects()
                    .delete(
                            blob.bucket(),
                            blob.name(),
                            null,
                            Preconditions.generation(blob.generation()));
        } catch (PetrichorException gone) {
            if (gone.code() != petrichor.base.ErrorCode.NOT_FOUND
                    && gone.code() != petrichor.base.ErrorCode.FAILED_PRECONDITION) {
                throw gone;
            }
        }
    }

    private static CreateEncodedGoogleStorageKeyResponse encoded(
            CreateEncodedGoogleStorageKeyRequest request) {
        String name = request.getFilename();
        if (!name.startsWith(BlobKeys.GOOGLE_STORAGE)) {
            throw error(
                    ErrorCode.ARGUMENT_OUT_OF_RANGE,
                    "the name of an object must be /gs/BUCKET/OBJECT");
        }
        return CreateEncodedGoogleStorageKeyResponse.newBuilder()
                .setBlobKey(BlobKeys.encoded(name.substring(BlobKeys.GOOGLE_STORAGE.length())))
                .build();
    }

    private static DecodeBlobKeyResponse decoded(DecodeBlobKeyRequest request) {
        DecodeBlobKeyResponse.Builder response = DecodeBlobKeyResponse.newBuilder();
        for (String key : request.getBlobKeyList()) {
            response.addDecoded(
                    BlobKeys.decoded(key).map(name -> BlobKeys.GOOGLE_STORAGE + name).orElse(key));
        }
        return response.build();
    }
}
