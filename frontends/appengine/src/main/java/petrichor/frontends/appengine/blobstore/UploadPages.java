package petrichor.frontends.appengine.blobstore;

import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import petrichor.base.ErrorCode;
import petrichor.base.MemoryBudget;
import petrichor.base.PetrichorException;
import petrichor.frontends.appengine.wire.UploadedBlob;
import petrichor.frontends.http.MultipartReader;
import petrichor.frontends.http.Page;
import petrichor.frontends.http.PathTemplate;
import petrichor.services.blobs.BlobObject;
import petrichor.services.blobs.Blobs;
import petrichor.services.blobs.Bucket;
import petrichor.services.blobs.FormSessions;
import petrichor.services.blobs.NewObject;
import petrichor.services.blobs.ObjectAttributes;
import petrichor.services.blobs.ObjectWriter;
import petrichor.services.blobs.Preconditions;

/**
 * Receives forms that browsers upload to the URL that an app has created: stores the files as blobs
 * while they arrive, and then calls the app, whose response is that of the upload. If anything
 * fails before the app has the form, the blobs are deleted. Thread-safe.
 */
public final class UploadPages {
    static final String PATH = "/_ah/upload/";

    private static final Logger LOG = LoggerFactory.getLogger(UploadPages.class);

    /** A few pieces of content, and the fields of the form. */
    private static final int BYTES = (2 << 20) + UploadedForm.BYTES_MAX;

    private static final int PARTS_MAX = 1_000;
    private static final int RESPONSE_BYTES_MAX = 32 << 20;

    /** As long as a request of App Engine's may take. */
    static final Duration ANSWER_MAX = Duration.ofMinutes(1);

    private final Supplier<Blobs> blobs;
    private final FormRecipients apps;
    private final Descriptions descriptions;
    private final MemoryBudget memory;
    private final BlobKeys keys = new BlobKeys(new SecureRandom());

    /** Describes blobs in the app's database, wherever its owner is. */
    public interface Descriptions {
        void put(String project, List<UploadedBlob> uploaded);

        void delete(String project, List<UploadedBlob> uploaded);
    }

    /**
     * @param memory for running uploads
     */
    public UploadPages(
            Supplier<Blobs> blobs,
            FormRecipients apps,
            Descriptions descriptions,
            MemoryBudget memory) {
        this.blobs = blobs;
        this.apps = apps;
        this.descriptions = descriptions;
        this.memory = memory;
    }

    /** A client that knows the URL of a session may upload, once. */
    public List<Page> pages() {
        return List.of(
                Page.streaming(
                        "POST",
                        PathTemplate.of(PATH + "{project}/{id}"),
                        Page.Access.OPEN,
                        this::answer));
    }

    private Page.Answer answer(Page.Request request) {
        try (MemoryBudget.Reservation held = memory.reservation()) {
            if (!held.add(BYTES)) {
                return Page.Answer.text(503, "too many uploads are running; retry later\n");
            }
            return request.cancellation().call(() -> uploaded(request));
        } catch (TooLarge tooLarge) {
            return Page.Answer.text(413, tooLarge.getMessage() + "\n");
        } catch (PetrichorException failed) {
            return Page.Answer.text(status(failed.code()), failed.getMessage() + "\n");
        } catch (Exception unexpected) {
            LOG.error("an upload failed unexpectedly", unexpected);
            return Page.Answer.text(500, "internal error; the server's log has the reason\n");
        }
    }

    private static int status(ErrorCode code) {
        return switch (code) {
            case NOT_FOUND -> 404;
            case INVALID_ARGUMENT, FAILED_PRECONDITION, ALREADY_EXISTS -> 400;
            case PERMISSION_DENIED, UNAUTHENTICATED -> 403;
            case RESOURCE_EXHAUSTED -> 429;
            case UNIMPLEMENTED -> 501;
            case INTERNAL -> 500;
            case ABORTED, UNAVAILABLE -> 503;
            case DEADLINE_EXCEEDED -> 504;
        };
    }

    /** More bytes than the app permits. */
    private static final class TooLarge extends RuntimeException {
        private static final long serialVersionUID = 1L;

        TooLarge(long bytesMax) {
            super(
                    "the upload is larger than the app permits: " + bytesMax + " bytes",
                    null,
                    false,
                    false);
        }
    }

    private Page.Answer uploaded(Page.Request request) throws IOException {
        String project = request.inPath("project");
        try (FormRecipients.Recipient app =
                apps.find(project, request.headers()).orElseThrow(() -> unknown(project))) {
            return uploaded(request, project, app);
        }
    }

    private static PetrichorException unknown(String project) {
        return PetrichorException.of(
                ErrorCode.UNAVAILABLE,
                "this server does not know where the app {project} receives requests; deploy it, or"
                        + " add it to apps.targets",
                "project",
                project);
    }

    private Page.Answer uploaded(Page.Request request, String project, FormRecipients.Recipient app)
            throws IOException {
        MultipartReader parts = new MultipartReader(request.contentType(), request.raw().body());
        FormSessions.Form form =
                blobs.get()
                        .forms()
                        .take(project, request.inPath("id"))
                        .orElseThrow(
                                () ->
                                        PetrichorException.of(
                                                ErrorCode.NOT_FOUND,
                                                "this upload URL was used, has expired, or never"
                                                        + " existed; ask the app for another"));
        Upload upload = new Upload(project, form);
        try {
            upload.receive(parts);
            upload.describe();
            return called(request, app, upload);
        } catch (RuntimeException | IOException failed) {
            upload.undo();
            throw failed;
        }
    }

    private static Page.Answer called(
            Page.Request request, FormRecipients.Recipient app, Upload upload) throws IOException {
        URI url = app.base().resolve(upload.form.successPath());
        HttpRequest.Builder call =
                HttpRequest.newBuilder(url)
                        .timeout(ANSWER_MAX)
                        .header("Content-Type", upload.content.contentType())
                        .header("X-AppEngine-BlobUpload", "true")
                        .POST(HttpRequest.BodyPublishers.ofByteArray(upload.content.finished()));
        app.headers().forEach(call::header);
        String cookies = request.headers().get("cookie");
        if (cookies != null) {
            call.header("Cookie", cookies);
        }
        try {
            HttpResponse<InputStream> response =
                    app.client().send(call.build(), HttpResponse.BodyHandlers.ofInputStream());
            try (InputStream in = response.body()) {
                return forwarded(
                        app.shown().resolve(upload.form.successPath()),
                        response,
                        in.readNBytes(RESPONSE_BYTES_MAX + 1));
            }
        } catch (InterruptedException stopping) {
            Thread.currentThread().interrupt();
            throw PetrichorException.of(
                    ErrorCode.UNAVAILABLE, stopping, "the server is stopping; retry later");
        } catch (IOException unreachable) {
            throw PetrichorException.of(
                    ErrorCode.UNAVAILABLE,
                    unreachable,
                    "the app does not answer at {url}; nothing was stored",
                    "url",
                    url);
        }
    }

    private static Page.Answer forwarded(URI url, HttpResponse<InputStream> response, byte[] body) {
        if (body.length > RESPONSE_BYTES_MAX) {
            return Page.Answer.text(502, "the app's response is larger than 32 MiB\n");
        }
        Map<String, String> headers = new TreeMap<>();
        // The browser is not at the app's address, to which a path would be relative.
        response.headers()
                .firstValue("location")
                .ifPresent(to -> headers.put("location", url.resolve(to).toString()));
        response.headers().firstValue("set-cookie").ifPresent(it -> headers.put("set-cookie", it));
        return Page.Answer.bytes(
                        response.statusCode(),
                        response.headers().firstValue("content-type").orElse("text/plain"),
                        body)
                .with(headers);
    }

    /** One form on its way. Confined to one thread. */
    private final class Upload {
        private final String project;
        private final FormSessions.Form form;
        private final UploadedForm content = new UploadedForm("upload-" + keys.next());
        private final List<BlobObject> objects = new ArrayList<>();
        private final List<UploadedBlob> stored = new ArrayList<>();
        private long bytes;
        private boolean described;

        Upload(String project, FormSessions.Form form) {
            this.project = project;
            this.form = form;
        }

        void receive(MultipartReader reader) {
            int parts = 0;
            for (MultipartReader.Part part = reader.nextPart();
                    part != null;
                    part = reader.nextPart()) {
                parts++;
                if (parts > PARTS_MAX) {
                    throw PetrichorException.invalid(
                            "the form has more than {partsMax} fields", "partsMax", PARTS_MAX);
                }
                String filename = part.disposition("filename").orElse("");
                if (filename.isEmpty()) {
                    content.addField(part, reader);
                } else {
                    store(part, filename, reader);
                }
            }
        }

        private void store(MultipartReader.Part part, String filename, MultipartReader reader) {
            String random = keys.next();
            boolean named = !form.bucket().isEmpty();
            String name = form.bucket() + "/" + random;
            String key = named ? BlobKeys.encoded(name) : random;
            BlobKeys.Place place = BlobKeys.place(project, key);
            requireBucket(place.bucket(), named);
            String type =
                    part.contentType().isEmpty() ? "application/octet-stream" : part.contentType();
            BlobObject object;
            try (ObjectWriter writer =
                    blobs.get()
                            .objects()
                            .create(
                                    place.bucket(),
                                    place.object(),
                                    NewObject.of(ObjectAttributes.ofType(type)))) {
                long mine = 0;
                for (byte[] piece = reader.next(); piece != null; piece = reader.next()) {
                    mine += piece.length;
                    bytes += piece.length;
                    if (mine > form.bytesPerBlobMax()) {
                        throw new TooLarge(form.bytesPerBlobMax());
                    }
                    if (bytes > form.bytesMax()) {
                        throw new TooLarge(form.bytesMax());
                    }
                    writer.write(piece, 0, piece.length);
                }
                object = writer.finish();
            }
            objects.add(object);
            UploadedBlob blob =
                    UploadedBlob.newBuilder()
                            .setBlobKey(key)
                            .setFilename(filename)
                            .setContentType(type)
                            .setBytes(object.bytes())
                            .setMd5(
                                    HexFormat.of()
                                            .formatHex(
                                                    Base64.getDecoder()
                                                            .decode(object.content().md5())))
                            .setCreatedMicros(object.version().createdMicros())
                            .build();
            stored.add(blob);
            content.addBlob(part, blob, named ? BlobKeys.GOOGLE_STORAGE + name : "");
        }

        /** The default bucket is created when it is needed. */
        private void requireBucket(String name, boolean named) {
            Optional<Bucket> known = blobs.get().buckets().find(name);
            Bucket bucket = known.isPresent() || named ? known.orElse(null) : created(name);
            if (bucket == null || !bucket.project().equals(project)) {
                throw PetrichorException.of(
                        ErrorCode.PERMISSION_DENIED,
                        "the app {project} has no bucket {bucket}",
                        "project",
                        project,
                        "bucket",
                        name);
            }
        }

        private Bucket created(String name) {
            try {
                return blobs.get().buckets().create(project, name, false, "");
            } catch (PetrichorException raced) {
                if (raced.code() == ErrorCode.ALREADY_EXISTS) {
                    return blobs.get().buckets().get(name);
                }
                throw raced;
            }
        }

        /** Blobs in a bucket that the app named are objects like others, without a description. */
        void describe() {
            if (form.bucket().isEmpty() && !stored.isEmpty()) {
                described = true;
                descriptions.put(project, stored);
            }
        }

        void undo() {
            try {
                for (BlobObject object : objects) {
                    blobs.get()
                            .objects()
                            .delete(
                                    object.bucket(),
                                    object.name(),
                                    null,
                                    Preconditions.generation(object.generation()));
                }
                if (described) {
                    descriptions.delete(project, stored);
                }
            } catch (PetrichorException kept) {
                LOG.warn("blobs of a failed upload to {} were not deleted", project, kept);
            }
        }
    }
}
