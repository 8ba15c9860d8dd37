package petrichor.frontends.appengine.images;

import com.google.appengine.api.images.ImagesServicePb.ImageData;
import com.google.appengine.api.images.ImagesServicePb.ImagesCompositeRequest;
import com.google.appengine.api.images.ImagesServicePb.ImagesCompositeResponse;
import com.google.appengine.api.images.ImagesServicePb.ImagesDeleteUrlBaseRequest;
import com.google.appengine.api.images.ImagesServicePb.ImagesDeleteUrlBaseResponse;
import com.google.appengine.api.images.ImagesServicePb.ImagesGetUrlBaseRequest;
import com.google.appengine.api.images.ImagesServicePb.ImagesGetUrlBaseResponse;
import com.google.appengine.api.images.ImagesServicePb.ImagesHistogram;
import com.google.appengine.api.images.ImagesServicePb.ImagesHistogramRequest;
import com.google.appengine.api.images.ImagesServicePb.ImagesHistogramResponse;
import com.google.appengine.api.images.ImagesServicePb.ImagesServiceError.ErrorCode;
import com.google.appengine.api.images.ImagesServicePb.ImagesTransformRequest;
import com.google.appengine.api.images.ImagesServicePb.ImagesTransformResponse;
import com.google.appengine.api.images.ImagesServicePb.InputSettings;
import com.google.gson.Gson;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.MessageLite;
import com.google.protobuf.UnsafeByteOperations;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import petrichor.base.PetrichorException;
import petrichor.frontends.appengine.BundledService;
import petrichor.frontends.appengine.ServiceCall;
import petrichor.frontends.appengine.ServiceError;
import petrichor.services.images.Histogram;
import petrichor.services.images.ImageLimits;
import petrichor.services.images.ImageProblem;
import petrichor.services.images.Images;
import petrichor.services.images.Images.Correction;
import petrichor.services.images.Images.Encoded;

/** The API {@code images}, over {@link Images}. Thread-safe. */
public final class ImagesApi implements BundledService {
    /** Succeeds if a blob has a serving URL. */
    static final String IS_SERVED = PLATFORM + "IsServed";

    private static final Gson JSON = new Gson();

    private final Images images;
    private final ImageBlobs blobs;

    public ImagesApi(Images images, ImageBlobs blobs) {
        this.images = images;
        this.blobs = blobs;
    }

    @Override
    public String name() {
        return "images";
    }

    @Override
    public CompletableFuture<byte[]> call(ServiceCall call) {
        try {
            MessageLite response =
                    switch (call.method()) {
                        case "Transform" ->
                                transform(call, ImagesTransformRequest.parseFrom(call.request()));
                        case "Composite" ->
                                composite(call, ImagesCompositeRequest.parseFrom(call.request()));
                        case "Histogram" ->
                                histogram(call, ImagesHistogramRequest.parseFrom(call.request()));
                        case "GetUrlBase" ->
                                urlBase(call, ImagesGetUrlBaseRequest.parseFrom(call.request()));
                        case "DeleteUrlBase" ->
                                deleteUrlBase(
                                        call, ImagesDeleteUrlBaseRequest.parseFrom(call.request()));
                        case IS_SERVED ->
                                served(call, ImagesGetUrlBaseRequest.parseFrom(call.request()));
                        default -> throw call.unknownMethod();
                    };
            return CompletableFuture.completedFuture(response.toByteArray());
        } catch (InvalidProtocolBufferException e) {
            throw PetrichorException.invalid(
                    "the request of images.{method} cannot be decoded", "method", call.method());
        } catch (ImageProblem problem) {
            throw ImageMessages.error(code(problem.reason()), problem.detail());
        }
    }

    private static ErrorCode code(ImageProblem.Reason reason) {
        return switch (reason) {
            case BAD_TRANSFORM -> ErrorCode.BAD_TRANSFORM_DATA;
            case NOT_AN_IMAGE -> ErrorCode.NOT_IMAGE;
            case BAD_IMAGE -> ErrorCode.BAD_IMAGE_DATA;
            case TOO_LARGE -> ErrorCode.IMAGE_TOO_LARGE;
        };
    }

    private MessageLite transform(ServiceCall call, ImagesTransformRequest request) {
        byte[] content = content(call, request.getImage());
        InputSettings input = request.getInput();
        Correction correction =
                switch (input.getCorrectExifOrientation()) {
                    case CORRECT_ORIENTATION -> Correction.ORIENTATION;
                    case UNCHANGED_ORIENTATION -> Correction.NONE;
                };
        Encoded result =
                images.transform(
                        content,
                        ImageMessages.transforms(request.getTransformList()),
                        correction,
                        ImageMessages.output(request.getOutput(), input),
                        call.cancellation());
        return ImagesTransformResponse.newBuilder()
                .setImage(image(result))
                .setSourceMetadata(
                        JSON.toJson(
                                images.metadata(
                                        content, input.getParseMetadata(), call.cancellation())))
                .build();
    }

    private MessageLite composite(ServiceCall call, ImagesCompositeRequest request) {
        if (request.getImageCount() > ImageLimits.COMPOSITES_MAX) {
            throw ImageMessages.error(
                    ErrorCode.BAD_TRANSFORM_DATA,
                    "more than " + ImageLimits.COMPOSITES_MAX + " images in a composite");
        }
        List<byte[]> sources =
                request.getImageList().stream().map(image -> content(call, image)).toList();
        Encoded result =
                images.composite(
                        sources,
                        ImageMessages.parts(request.getOptionsList()),
                        ImageMessages.canvas(request.getCanvas()),
                        ImageMessages.output(
                                request.getCanvas().getOutput(),
                                InputSettings.getDefaultInstance()),
                        call.cancellation());
        return ImagesCompositeResponse.newBuilder().setImage(image(result)).build();
    }

    private MessageLite histogram(ServiceCall call, ImagesHistogramRequest request) {
        Histogram histogram =
                images.histogram(content(call, request.getImage()), call.cancellation());
        ImagesHistogram.Builder message = ImagesHistogram.newBuilder();
        Arrays.stream(histogram.red()).forEach(message::addRed);
        Arrays.stream(histogram.green()).forEach(message::addGreen);
        Arrays.stream(histogram.blue()).forEach(message::addBlue);
        return ImagesHistogramResponse.newBuilder().setHistogram(message).build();
    }

    private MessageLite urlBase(ServiceCall call, ImagesGetUrlBaseRequest request) {
        return ImagesGetUrlBaseResponse.newBuilder()
                .setUrl(
                        blobs.serve(call.app().project(), request.getBlobKey())
                                .orElseThrow(ImagesApi::noBlob))
                .build();
    }

    private MessageLite served(ServiceCall call, ImagesGetUrlBaseRequest request) {
        if (!blobs.isServed(call.app().project(), request.getBlobKey())) {
            throw noBlob();
        }
        return ImagesDeleteUrlBaseResponse.getDefaultInstance();
    }

    private MessageLite deleteUrlBase(ServiceCall call, ImagesDeleteUrlBaseRequest request) {
        blobs.stopServing(call.app().project(), request.getBlobKey());
        return ImagesDeleteUrlBaseResponse.getDefaultInstance();
    }

    private byte[] content(ServiceCall call, ImageData image) {
        if (!image.hasBlobKey()) {
            return image.getContent().toByteArray();
        }
        if (!image.getContent().isEmpty()) {
            throw ImageMessages.error(
                    ErrorCode.INVALID_BLOB_KEY, "an image has content or a blob key, not both");
        }
        return blobs.read(call.app().project(), image.getBlobKey(), ImageLimits.INPUT_BYTES_MAX)
                .orElseThrow(ImagesApi::noBlob);
    }

    private static ServiceError noBlob() {
        return ImageMessages.error(ErrorCode.OBJECT_NOT_FOUND, "there is no such blob");
    }

    private static ImageData image(Encoded encoded) {
        return ImageData.newBuilder()
                .setContent(UnsafeByteOperations.unsafeWrap(encoded.content()))
                .setWidth(encoded.width())
                .setHeight(encoded.height())
                .build();
    }
}
