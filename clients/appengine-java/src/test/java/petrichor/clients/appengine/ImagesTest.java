package petrichor.clients.appengine;

import static com.google.appengine.api.images.ImagesServiceFactory.makeComposite;
import static com.google.appengine.api.images.ImagesServiceFactory.makeCompositeTransform;
import static com.google.appengine.api.images.ImagesServiceFactory.makeCrop;
import static com.google.appengine.api.images.ImagesServiceFactory.makeHorizontalFlip;
import static com.google.appengine.api.images.ImagesServiceFactory.makeImFeelingLucky;
import static com.google.appengine.api.images.ImagesServiceFactory.makeImage;
import static com.google.appengine.api.images.ImagesServiceFactory.makeResize;
import static com.google.appengine.api.images.ImagesServiceFactory.makeRotate;
import static com.google.appengine.api.images.ImagesServiceFactory.makeVerticalFlip;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.appengine.api.images.Composite;
import com.google.appengine.api.images.Image;
import com.google.appengine.api.images.ImagesService;
import com.google.appengine.api.images.ImagesService.OutputEncoding;
import com.google.appengine.api.images.ImagesServiceFactory;
import com.google.appengine.api.images.InputSettings;
import com.google.appengine.api.images.OutputSettings;
import com.google.appengine.api.images.Transform;
import java.awt.image.BufferedImage;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import javax.imageio.ImageIO;
import org.junit.jupiter.api.Test;

class ImagesTest {
    private final App app = App.unique();
    private final ImagesService images = ImagesServiceFactory.getImagesService();

    static byte[] png(int width, int height, int color) throws IOException {
        BufferedImage image = new BufferedImage(width, height, BufferedImage.TYPE_INT_RGB);
        int[] pixels = new int[width * height];
        Arrays.fill(pixels, color);
        image.setRGB(0, 0, width, height, pixels, 0, width);
        ByteArrayOutputStream encoded = new ByteArrayOutputStream();
        ImageIO.write(image, "png", encoded);
        return encoded.toByteArray();
    }

    private String size(Transform transform) throws IOException {
        Image result = images.applyTransform(transform, makeImage(png(120, 80, 0xff0000)));
        return result.getWidth() + "x" + result.getHeight();
    }

    @Test
    void sizesOfTransformedImages() throws Exception {
        app.run(() -> {
            assertThat(size(makeResize(60, 60))).isEqualTo("60x40");
            assertThat(size(makeResize(50, 50))).isEqualTo("50x33");
            assertThat(size(makeResize(50, 50, true))).isEqualTo("50x50");
            assertThat(size(makeResize(50, 50, 0.5, 0.5))).isEqualTo("50x50");
            assertThat(size(makeRotate(90))).isEqualTo("80x120");
            assertThat(size(makeCrop(0.25, 0.0, 0.75, 0.5))).isEqualTo("60x40");
            assertThat(size(makeCompositeTransform(List.of(
                            makeResize(40, 40),
                            makeHorizontalFlip(),
                            makeVerticalFlip(),
                            makeImFeelingLucky(),
                            makeRotate(270)))))
                    .isEqualTo("26x40");
        });
    }

    @Test
    void outputFormats() throws Exception {
        app.run(() -> {
            for (OutputEncoding encoding : OutputEncoding.values()) {
                OutputSettings settings = new OutputSettings(encoding);
                Image result = images.applyTransform(
                        makeResize(10, 10), makeImage(png(20, 20, 0x00ff00)), new InputSettings(), settings);
                assertThat(result.getFormat().name()).isEqualTo(encoding.name());
                assertThat(result.getWidth()).isEqualTo(10);
            }
            Image later = images.applyTransformAsync(makeResize(5, 5), makeImage(png(20, 20, 0))).get();
            assertThat(later.getWidth()).isEqualTo(5);
        });
    }

    @Test
    void compositesAndHistograms() throws Exception {
        app.run(() -> {
            List<Composite> parts = List.of(
                    makeComposite(makeImage(png(10, 10, 0x00ff00)), 0, 0, 1f, Composite.Anchor.TOP_LEFT),
                    makeComposite(makeImage(png(10, 10, 0x0000ff)), 0, 0, 0.5f, Composite.Anchor.BOTTOM_RIGHT));
            Image result = images.composite(parts, 30, 20, 0xffffffffL);
            assertThat(result.getWidth() + "x" + result.getHeight()).isEqualTo("30x20");
            int[][] histogram = images.histogram(result);
            assertThat(histogram[0][255]).isEqualTo(400);
            assertThat(histogram[0][0]).isEqualTo(100);
            assertThat(histogram[1][255]).isEqualTo(500);
            assertThat(histogram[2][255]).isEqualTo(500);
            assertThat(Arrays.stream(histogram).mapToInt(color -> Arrays.stream(color).sum())).containsOnly(600);
        });
    }

    @Test
    void whatIsRefused() throws Exception {
        app.run(() -> {
            assertThatThrownBy(() -> images.applyTransform(makeResize(10, 10), makeImage("no image".getBytes())))
                    .isInstanceOf(IllegalArgumentException.class);
            Image damaged = makeImage(Arrays.copyOf(png(10, 10, 0), 40));
            assertThatThrownBy(() -> images.applyTransform(makeResize(5, 5), damaged))
                    .isInstanceOf(IllegalArgumentException.class);
        });
    }
}
