package petrichor.services.images;

import petrichor.services.images.ImageProblem.Reason;

/** One step of a transform. The records refuse values that App Engine refuses. */
public sealed interface ImageTransform {
    /**
     * Resizes to at most these sides; 0 leaves a side to the aspect ratio.
     *
     * @param fit what happens if the aspect ratio differs
     */
    record Resize(int width, int height, Fit fit) implements ImageTransform {
        public Resize {
            int max = ImageLimits.SIDE_PIXELS_MAX;
            if (width < 0 || height < 0 || width > max || height > max) {
                throw bad("a side of the resized image must be 0 to " + max);
            }
            if (width == 0 && height == 0) {
                throw bad("a resize needs a width or a height");
            }
            if (!(fit instanceof Fit.Inside) && (width == 0 || height == 0)) {
                throw bad("crop_to_fit and allow_stretch need a width and a height");
            }
        }
    }

    /** How a resized image fits into its frame. */
    sealed interface Fit {
        /** Keeps the aspect ratio: one side may be shorter. */
        record Inside() implements Fit {}

        /** Ignores the aspect ratio. */
        record Stretch() implements Fit {}

        /**
         * Fills the frame and crops the rest.
         *
         * @param x share of the rest that is cropped on the left, 0 to 1
         * @param y share of the rest that is cropped at the top, 0 to 1
         */
        record Crop(float x, float y) implements Fit {
            public Crop {
                if (!isShare(x) || !isShare(y)) {
                    throw bad("crop offsets must be 0 to 1");
                }
            }
        }
    }

    /** Clockwise. */
    record Rotate(int degrees) implements ImageTransform {
        public Rotate {
            if (degrees < 0 || degrees % 90 != 0) {
                throw bad("an image can be rotated by multiples of 90 degrees");
            }
        }
    }

    /** Mirrors left and right. */
    record FlipHorizontally() implements ImageTransform {}

    /** Mirrors top and bottom. */
    record FlipVertically() implements ImageTransform {}

    /** The part between these shares of the sides, 0 to 1. */
    record Crop(float left, float top, float right, float bottom) implements ImageTransform {
        public Crop {
            if (!isShare(left) || !isShare(top) || !isShare(right) || !isShare(bottom)) {
                throw bad("sides of a crop must be 0 to 1");
            }
            if (left >= right || top >= bottom) {
                throw bad("a crop must contain something");
            }
        }
    }

    /** Stretches the contrast of each colour: "I'm feeling lucky". */
    record AutoLevels() implements ImageTransform {}

    private static boolean isShare(float value) {
        return value >= 0 && value <= 1;
    }

    private static ImageProblem bad(String detail) {
        return new ImageProblem(Reason.BAD_TRANSFORM, detail);
    }
}
