package petrichor.services.blobs;

/**
 * What the client wants of an object that it uploads.
 *
 * @param conditions on the live version of the same name
 */
public record NewObject(
        ObjectAttributes attributes, Preconditions conditions, ExpectedChecksums expected) {
    public static NewObject of(ObjectAttributes attributes) {
        return new NewObject(attributes, Preconditions.NONE, ExpectedChecksums.NONE);
    }
}
