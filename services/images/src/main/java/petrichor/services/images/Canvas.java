package petrichor.services.images;

import petrichor.services.images.ImageProblem.Reason;

/**
 * The ground of a composite.
 *
 * @param color as ARGB
 */
public record Canvas(int width, int height, int color) {
    public Canvas {
        int max = ImageLimits.SIDE_PIXELS_MAX;
        if (width < 1 || height < 1 || width > max || height > max) {
            throw new ImageProblem(
                    Reason.BAD_TRANSFORM, "a side of the canvas must be 1 to " + max);
        }
    }
}
