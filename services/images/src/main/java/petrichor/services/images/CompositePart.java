package petrichor.services.images;

import petrichor.services.images.ImageProblem.Reason;

/**
 * One image on a canvas.
 *
 * @param source index of the image
 * @param x pixels from the anchor to the right
 * @param y pixels from the anchor downwards
 * @param opacity 0 to 1
 */
public record CompositePart(int source, int x, int y, float opacity, Anchor anchor) {
    /** The point of the canvas, and of the image, from which offsets count. */
    public enum Anchor {
        TOP_LEFT(0, 0),
        TOP(0.5, 0),
        TOP_RIGHT(1, 0),
        LEFT(0, 0.5),
        CENTER(0.5, 0.5),
        RIGHT(1, 0.5),
        BOTTOM_LEFT(0, 1),
        BOTTOM(0.5, 1),
        BOTTOM_RIGHT(1, 1);

        private final double horizontal;
        private final double vertical;

        Anchor(double horizontal, double vertical) {
            this.horizontal = horizontal;
            this.vertical = vertical;
        }

        double horizontal() {
            return horizontal;
        }

        double vertical() {
            return vertical;
        }
    }

    public CompositePart {
        if (!(opacity >= 0 && opacity <= 1)) {
            throw new ImageProblem(Reason.BAD_TRANSFORM, "the opacity must be 0 to 1");
        }
    }
}
