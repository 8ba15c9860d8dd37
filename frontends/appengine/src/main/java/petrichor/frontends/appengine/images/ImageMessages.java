package petrichor.frontends.appengine.images;

import com.google.appengine.api.images.ImagesServicePb;
import com.google.appengine.api.images.ImagesServicePb.CompositeImageOptions;
import com.google.appengine.api.images.ImagesServicePb.ImagesServiceError.ErrorCode;
import com.google.appengine.api.images.ImagesServicePb.InputSettings;
import com.google.appengine.api.images.ImagesServicePb.OutputSettings;
import com.google.appengine.api.images.ImagesServicePb.Transform;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import petrichor.frontends.appengine.ServiceError;
import petrichor.services.images.Canvas;
import petrichor.services.images.CompositePart;
import petrichor.services.images.CompositePart.Anchor;
import petrichor.services.images.ImageTransform;
import petrichor.services.images.ImageTransform.Fit;
import petrichor.services.images.Output;

/** Translates messages of the API. */
final class ImageMessages {
    private ImageMessages() {}

    static List<ImageTransform> transforms(List<Transform> messages) {
        List<ImageTransform> transforms = new ArrayList<>();
        messages.forEach(message -> add(message, transforms::add));
        return transforms;
    }

    /** A message has one transform; fields of others are ignored, as App Engine does. */
    private static void add(Transform message, Consumer<ImageTransform> to) {
        if (message.hasWidth() || message.hasHeight()) {
            to.accept(
                    new ImageTransform.Resize(
                            message.getWidth(), message.getHeight(), fit(message)));
        } else if (message.hasRotate()) {
            to.accept(new ImageTransform.Rotate(message.getRotate()));
        } else if (message.getHorizontalFlip()) {
            to.accept(new ImageTransform.FlipHorizontally());
        } else if (message.getVerticalFlip()) {
            to.accept(new ImageTransform.FlipVertically());
        } else if (message.hasCropLeftX()
                || message.hasCropTopY()
                || message.hasCropRightX()
                || message.hasCropBottomY()) {
            to.accept(
                    new ImageTransform.Crop(
                            message.getCropLeftX(),
                            message.getCropTopY(),
                            message.getCropRightX(),
                            message.getCropBottomY()));
        } else if (message.getAutolevels()) {
            to.accept(new ImageTransform.AutoLevels());
        }
    }

    private static Fit fit(Transform message) {
        if (message.getAllowStretch()) {
            return new Fit.Stretch();
        }
        return message.getCropToFit()
                ? new Fit.Crop(message.getCropOffsetX(), message.getCropOffsetY())
                : new Fit.Inside();
    }

    static Output output(OutputSettings message, InputSettings input) {
        Output.Encoding encoding =
                switch (message.getMimeType()) {
                    case PNG -> Output.Encoding.PNG;
                    case JPEG -> Output.Encoding.JPEG;
                    case WEBP -> Output.Encoding.WEBP;
                };
        return new Output(
                encoding,
                message.hasQuality() ? message.getQuality() : Output.QUALITY_DEFAULT,
                input.getTransparentSubstitutionRgb());
    }

    static List<CompositePart> parts(List<CompositeImageOptions> messages) {
        return messages.stream()
                .map(
                        message ->
                                new CompositePart(
                                        message.getSourceIndex(),
                                        message.getXOffset(),
                                        message.getYOffset(),
                                        message.getOpacity(),
                                        anchor(message.getAnchor())))
                .toList();
    }

    private static Anchor anchor(CompositeImageOptions.ANCHOR anchor) {
        return switch (anchor) {
            case TOP_LEFT -> Anchor.TOP_LEFT;
            case TOP -> Anchor.TOP;
            case TOP_RIGHT -> Anchor.TOP_RIGHT;
            case LEFT -> Anchor.LEFT;
            case CENTER -> Anchor.CENTER;
            case RIGHT -> Anchor.RIGHT;
            case BOTTOM_LEFT -> Anchor.BOTTOM_LEFT;
            case BOTTOM -> Anchor.BOTTOM;
            case BOTTOM_RIGHT -> Anchor.BOTTOM_RIGHT;
        };
    }

    static Canvas canvas(ImagesServicePb.ImagesCanvas message) {
        return new Canvas(message.getWidth(), message.getHeight(), message.getColor());
    }

    static ServiceError error(ErrorCode code, String detail) {
        return new ServiceError(code.getNumber(), detail);
    }
}
