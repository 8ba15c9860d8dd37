package petrichor.services.blobs;

import com.google.protobuf.ByteString;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.Parser;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;
import petrichor.services.blobs.content.ContentId;
import petrichor.services.blobs.stored.StoredAttributes;
import petrichor.services.blobs.stored.StoredBucket;
import petrichor.services.blobs.stored.StoredContent;
import petrichor.services.blobs.stored.StoredObject;
import petrichor.services.blobs.stored.StoredPart;
import petrichor.services.blobs.stored.StoredPreconditions;
import petrichor.services.blobs.stored.StoredVersion;

/** Encodes buckets and objects as the values of their rows, and reads them back. */
final class StoredRows {
    private StoredRows() {}

    /** INTERNAL if the store has damaged the row. */
    static <T> T parse(Parser<T> parser, byte[] value) {
        try {
            return parser.parseFrom(value);
        } catch (InvalidProtocolBufferException damaged) {
            throw PetrichorException.of(
                    ErrorCode.INTERNAL,
                    damaged,
                    "a stored row of a bucket or an object is damaged; restore it from a backup");
        }
    }

    static byte[] encode(Bucket bucket) {
        return StoredBucket.newBuilder()
                .setVersion(stored(bucket.version()))
                .setVersioning(bucket.versioning())
                .setSettings(bucket.settings())
                .build()
                .toByteArray();
    }

    static Bucket bucket(String name, String project, byte[] value) {
        StoredBucket stored = parse(StoredBucket.parser(), value);
        return new Bucket(
                name,
                project,
                version(stored.getVersion()),
                stored.getVersioning(),
                stored.getSettings());
    }

    static byte[] encode(BlobObject object) {
        return StoredObject.newBuilder()
                .setVersion(stored(object.version()))
                .setContent(stored(object.content()))
                .setAttributes(stored(object.attributes()))
                .build()
                .toByteArray();
    }

    static BlobObject object(Bucket bucket, String name, byte[] value) {
        StoredObject stored = parse(StoredObject.parser(), value);
        return new BlobObject(
                bucket.name(),
                name,
                version(stored.getVersion()),
                content(bucket.project(), stored.getContent()),
                attributes(stored.getAttributes()));
    }

    private static StoredVersion stored(Version version) {
        return StoredVersion.newBuilder()
                .setGeneration(version.generation())
                .setMetageneration(version.metageneration())
                .setCreatedMicros(version.createdMicros())
                .setUpdatedMicros(version.updatedMicros())
                .build();
    }

    private static Version version(StoredVersion stored) {
        return new Version(
                stored.getGeneration(),
                stored.getMetageneration(),
                stored.getCreatedMicros(),
                stored.getUpdatedMicros());
    }

    private static StoredContent stored(BlobObject.Content content) {
        StoredContent.Builder stored =
                StoredContent.newBuilder()
                        .setCrc32C(content.crc32c())
                        .setMd5(content.md5())
                        .setComponents(content.components());
        for (BlobObject.Part part : content.parts()) {
            stored.addParts(
                    StoredPart.newBuilder()
                            .setContent(ByteString.copyFrom(part.id().bytes()))
                            .setBytes(part.bytes()));
        }
        return stored.build();
    }

    private static BlobObject.Content content(String project, StoredContent stored) {
        return new BlobObject.Content(
                stored.getPartsList().stream()
                        .map(
                                part ->
                                        new BlobObject.Part(
                                                ContentId.of(
                                                        project, part.getContent().toByteArray()),
                                                part.getBytes()))
                        .toList(),
                stored.getCrc32C(),
                stored.getMd5(),
                stored.getComponents());
    }

    static StoredAttributes stored(ObjectAttributes attributes) {
        ObjectAttributes.Headers headers = attributes.headers();
        return StoredAttributes.newBuilder()
                .setContentType(headers.contentType())
                .setContentEncoding(headers.contentEncoding())
                .setContentDisposition(headers.contentDisposition())
                .setContentLanguage(headers.contentLanguage())
                .setCacheControl(headers.cacheControl())
                .setStorageClass(attributes.storageClass())
                .putAllMetadata(attributes.metadata())
                .setSettings(attributes.settings())
                .build();
    }

    static ObjectAttributes attributes(StoredAttributes stored) {
        return new ObjectAttributes(
                new ObjectAttributes.Headers(
                        stored.getContentType(),
                        stored.getContentEncoding(),
                        stored.getContentDisposition(),
                        stored.getContentLanguage(),
                        stored.getCacheControl()),
                stored.getStorageClass(),
                stored.getMetadataMap(),
                stored.getSettings());
    }

    static StoredPreconditions stored(Preconditions conditions) {
        StoredPreconditions.Builder stored = StoredPreconditions.newBuilder();
        if (conditions.generationMatch() != null) {
            stored.setGenerationMatch(conditions.generationMatch());
        }
        if (conditions.generationNotMatch() != null) {
            stored.setGenerationNotMatch(conditions.generationNotMatch());
        }
        if (conditions.metagenerationMatch() != null) {
            stored.setMetagenerationMatch(conditions.metagenerationMatch());
        }
        if (conditions.metagenerationNotMatch() != null) {
            stored.setMetagenerationNotMatch(conditions.metagenerationNotMatch());
        }
        return stored.build();
    }

    static Preconditions preconditions(StoredPreconditions stored) {
        return new Preconditions(
                stored.hasGenerationMatch() ? stored.getGenerationMatch() : null,
                stored.hasGenerationNotMatch() ? stored.getGenerationNotMatch() : null,
                stored.hasMetagenerationMatch() ? stored.getMetagenerationMatch() : null,
                stored.hasMetagenerationNotMatch() ? stored.getMetagenerationNotMatch() : null);
    }
}
