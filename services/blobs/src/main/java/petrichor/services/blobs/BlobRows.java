package petrichor.services.blobs;

import petrichor.base.OrderedReader;
import petrichor.base.OrderedWriter;
import petrichor.kv.KeyRange;
import petrichor.services.blobs.content.ContentId;

/**
 * Keys of the rows of buckets and objects. The first byte is {@code B}, the second one the kind:
 *
 * <pre>
 * B 1 bucket                            a bucket
 * B 2 bucket object                     the live version of an object
 * B 3 bucket object generation          a noncurrent version
 * B 4 upload                            a resumable upload
 * B 5 email                             a key for signed URLs
 * B 6 content owner                     a reference to a content, by a version or an upload
 * B 7 content                           a content without references, to be deleted
 * B 8 content index                     a chunk; see RowContent
 * B 9 bucket                            in the directory of the deployment: the project of a bucket
 * B 10 project                          in the directory: a project that has or had buckets
 * B 11 form                             a form that may be uploaded
 * </pre>
 */
final class BlobRows {
    private static final int TYPE = 'B';

    /** Kinds of owners of a content. */
    private static final int BY_VERSION = 1;

    private static final int BY_UPLOAD = 2;

    private BlobRows() {}

    private enum Kind {
        BUCKET(1),
        LIVE(2),
        NONCURRENT(3),
        UPLOAD(4),
        SIGNING_KEY(5),
        REFERENCE(6),
        GARBAGE(7),
        NAME(9),
        PROJECT(10),
        FORM(11);

        private final int number;

        Kind(int number) {
            this.number = number;
        }
    }

    private static OrderedWriter of(Kind kind) {
        return new OrderedWriter().put(TYPE).put(kind.number);
    }

    private static KeyRange all(Kind kind) {
        return KeyRange.ofPrefix(of(kind).toBytes());
    }

    static byte[] bucket(String name) {
        return of(Kind.BUCKET).putString(name).toBytes();
    }

    static KeyRange buckets() {
        return all(Kind.BUCKET);
    }

    static String bucketName(byte[] key) {
        return new OrderedReader(key, 2).takeString();
    }

    static byte[] live(String bucket, String object) {
        return of(Kind.LIVE).putString(bucket).putString(object).toBytes();
    }

    static KeyRange live(String bucket) {
        return KeyRange.ofPrefix(of(Kind.LIVE).putString(bucket).toBytes());
    }

    static byte[] noncurrent(String bucket, String object, long generation) {
        return of(Kind.NONCURRENT)
                .putString(bucket)
                .putString(object)
                .putLong(generation)
                .toBytes();
    }

    static KeyRange noncurrent(String bucket) {
        return KeyRange.ofPrefix(of(Kind.NONCURRENT).putString(bucket).toBytes());
    }

    static KeyRange noncurrent(String bucket, String object) {
        return KeyRange.ofPrefix(of(Kind.NONCURRENT).putString(bucket).putString(object).toBytes());
    }

    /** The name of an object in the key of one of its versions. */
    static String objectName(byte[] key) {
        OrderedReader reader = new OrderedReader(key, 2);
        reader.skipString();
        return reader.takeString();
    }

    static byte[] upload(String id) {
        return of(Kind.UPLOAD).putString(id).toBytes();
    }

    static KeyRange uploads() {
        return all(Kind.UPLOAD);
    }

    static String uploadId(byte[] key) {
        return new OrderedReader(key, 2).takeString();
    }

    static byte[] form(String id) {
        return of(Kind.FORM).putString(id).toBytes();
    }

    static KeyRange forms() {
        return all(Kind.FORM);
    }

    static byte[] signingKey(String email) {
        return of(Kind.SIGNING_KEY).putString(email).toBytes();
    }

    static KeyRange signingKeys() {
        return all(Kind.SIGNING_KEY);
    }

    static byte[] referenceByVersion(
            ContentId content, String bucket, String object, long generation) {
        return of(Kind.REFERENCE)
                .putEncoded(content.bytes())
                .put(BY_VERSION)
                .putString(bucket)
                .putString(object)
                .putLong(generation)
                .toBytes();
    }

    static byte[] referenceByUpload(ContentId content, String upload) {
        return of(Kind.REFERENCE)
                .putEncoded(content.bytes())
                .put(BY_UPLOAD)
                .putString(upload)
                .toBytes();
    }

    static KeyRange references(ContentId content) {
        return KeyRange.ofPrefix(of(Kind.REFERENCE).putEncoded(content.bytes()).toBytes());
    }

    static byte[] garbage(ContentId content) {
        return of(Kind.GARBAGE).putEncoded(content.bytes()).toBytes();
    }

    static KeyRange garbage() {
        return all(Kind.GARBAGE);
    }

    static ContentId garbageId(String project, byte[] key) {
        OrderedReader reader = new OrderedReader(key, 2);
        return new ContentId(project, reader.takeLong(), reader.takeLong());
    }

    static byte[] name(String bucket) {
        return of(Kind.NAME).putString(bucket).toBytes();
    }

    static byte[] project(String name) {
        return of(Kind.PROJECT).putString(name).toBytes();
    }

    static KeyRange projects() {
        return all(Kind.PROJECT);
    }

    static String projectName(byte[] key) {
        return new OrderedReader(key, 2).takeString();
    }
}
