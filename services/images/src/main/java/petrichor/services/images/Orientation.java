package petrichor.services.images;

import java.awt.image.BufferedImage;
import java.util.List;
import petrichor.services.images.ImageTransform.FlipHorizontally;
import petrichor.services.images.ImageTransform.FlipVertically;
import petrichor.services.images.ImageTransform.Rotate;

/** Turns images upright, according to EXIF 2.2, page 18. */
final class Orientation {
    private Orientation() {}

    static BufferedImage upright(BufferedImage image, int orientation, Work work) {
        BufferedImage turned = image;
        for (ImageTransform step : steps(orientation)) {
            turned = Pixels.apply(turned, step, work);
        }
        return turned;
    }

    private static List<ImageTransform> steps(int orientation) {
        return switch (orientation) {
            case 2 -> List.of(new FlipHorizontally());
            case 3 -> List.of(new Rotate(180));
            case 4 -> List.of(new FlipVertically());
            case 5 -> List.of(new FlipVertically(), new Rotate(90));
            case 6 -> List.of(new Rotate(90));
            case 7 -> List.of(new FlipHorizontally(), new Rotate(90));
            case 8 -> List.of(new Rotate(270));
            default -> List.of();
        };
    }
}
