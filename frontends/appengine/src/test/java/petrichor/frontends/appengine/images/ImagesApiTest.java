package petrichor.frontends.appengine.images;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.appengine.api.images.ImagesServicePb.CompositeImageOptions;
import com.google.appengine.api.images.ImagesServicePb.ImageData;
import com.google.appengine.api.images.ImagesServicePb.ImagesCanvas;
import com.google.appengine.api.images.ImagesServicePb.ImagesCompositeRequest;
import com.google.appengine.api.images.ImagesServicePb.ImagesCompositeResponse;
import com.google.appengine.api.images.ImagesServicePb.ImagesGetUrlBaseRequest;
import com.google.appengine.api.images.ImagesServicePb.ImagesGetUrlBaseResponse;
import com.google.appengine.api.images.ImagesServicePb.ImagesHistogramRequest;
import com.google.appengine.api.images.ImagesServicePb.ImagesHistogramResponse;
import com.google.appengine.api.images.ImagesServicePb.ImagesServiceError.ErrorCode;
import com.google.appengine.api.images.ImagesServicePb.ImagesTransformRequest;
import com.google.appengine.api.images.ImagesServicePb.ImagesTransformResponse;
import com.google.appengine.api.images.ImagesServicePb.OutputSettings;
import com.google.appengine.api.images.ImagesServicePb.Transform;
import com.google.protobuf.ByteString;
import com.google.protobuf.MessageLite;
import java.awt.image.BufferedImage;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.ExecutorService;
import javax.imageio.ImageIO;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import petrichor.base.Cancellation;
import petrichor.base.MemoryBudget;
import petrichor.frontends.appengine.CallingApp;
import petrichor.frontends.appengine.ServiceCall;
import petrichor.frontends.appengine.ServiceError;
import petrichor.services.images.ImageLimits;
import petrichor.services.images.Images;

final class ImagesApiTest {
    private static final ByteString RED = png(40, 20);
    private static final OutputSettings PNG =
            OutputSettings.newBuilder().setMimeType(OutputSettings.MIME_TYPE.PNG).build();

    private final ExecutorService threads = Images.threads(ImageLimits.DEFAULT);
    private final ImagesApi service =
            new ImagesApi(
                    new Images(ImageLimits.DEFAULT, MemoryBudget.unlimited(), threads),
                    new OneBlob());

    @AfterEach
    void close() {
        threads.close();
    }

    @Test
    void aTransformReturnsTheImageItsSizeAndTheMetadataOfTheSource() throws Exception {
        ImagesTransformResponse response =
                ImagesTransformResponse.parseFrom(
                        call(
                                "Transform",
                                ImagesTransformRequest.newBuilder()
                                        .setImage(ImageData.newBuilder().setContent(RED))
                                        .addTransform(Transform.newBuilder().setWidth(20))
                                        .addTransform(Transform.newBuilder().setRotate(90))
                                        .setOutput(PNG)
                                        .build()));
        assertThat(response.getImage().getWidth()).isEqualTo(10);
        assertThat(response.getImage().getHeight()).isEqualTo(20);
        assertThat(response.getSourceMetadata())
                .isEqualTo("{\"ImageWidth\":40,\"ImageLength\":20}");
    }

    @Test
    void aBlobIsAnImageOfItsOwnProjectOnly() throws Exception {
        ImagesHistogramRequest request =
                ImagesHistogramRequest.newBuilder()
                        .setImage(
                                ImageData.newBuilder()
                                        .setContent(ByteString.EMPTY)
                                        .setBlobKey("blob"))
                        .build();
        ImagesHistogramResponse response =
                ImagesHistogramResponse.parseFrom(call("Histogram", request));
        assertThat(response.getHistogram().getRed(255)).isEqualTo(800);
        assertThat(response.getHistogram().getGreenList()).hasSize(256);
        assertThatThrownBy(() -> call("other", "Histogram", request))
                .isInstanceOfSatisfying(
                        ServiceError.class,
                        error ->
                                assertThat(error.code())
                                        .isEqualTo(ErrorCode.OBJECT_NOT_FOUND_VALUE));
        ImagesGetUrlBaseResponse url =
                ImagesGetUrlBaseResponse.parseFrom(
                        call(
                                "GetUrlBase",
                                ImagesGetUrlBaseRequest.newBuilder().setBlobKey("blob").build()));
        assertThat(url.getUrl()).isEqualTo("http://images.example/blob");
    }

    @Test
    void aCompositeFillsItsCanvas() throws Exception {
        ImagesCompositeResponse response =
                ImagesCompositeResponse.parseFrom(
                        call(
                                "Composite",
                                ImagesCompositeRequest.newBuilder()
                                        .addImage(ImageData.newBuilder().setContent(RED))
                                        .addOptions(
                                                CompositeImageOptions.newBuilder()
                                                        .setSourceIndex(0)
                                                        .setXOffset(0)
                                                        .setYOffset(0)
                                                        .setOpacity(1)
                                                        .setAnchor(
                                                                CompositeImageOptions.ANCHOR
                                                                        .CENTER))
                                        .setCanvas(
                                                ImagesCanvas.newBuilder()
                                                        .setWidth(60)
                                                        .setHeight(60)
                                                        .setOutput(PNG))
                                        .build()));
        BufferedImage image = ImageIO.read(response.getImage().getContent().newInput());
        assertThat(image.getRGB(30, 30)).isEqualTo(0xFFFF0000);
        assertThat(image.getRGB(0, 0)).isEqualTo(0xFFFFFFFF);
    }

    @Test
    void problemsHaveTheCodesOfTheApi() {
        assertThat(code(RED, Transform.newBuilder().setWidth(5000)))
                .isEqualTo(ErrorCode.BAD_TRANSFORM_DATA_VALUE);
        assertThat(code(ByteString.EMPTY, Transform.newBuilder().setWidth(5)))
                .isEqualTo(ErrorCode.NOT_IMAGE_VALUE);
        assertThat(code(RED.substring(0, 40), Transform.newBuilder().setWidth(5)))
                .isEqualTo(ErrorCode.BAD_IMAGE_DATA_VALUE);
    }

    private int code(ByteString content, Transform.Builder transform) {
        try {
            call(
                    "Transform",
                    ImagesTransformRequest.newBuilder()
                            .setImage(ImageData.newBuilder().setContent(content))
                            .addTransform(transform)
                            .setOutput(PNG)
                            .build());
        } catch (ServiceError error) {
            return error.code();
        }
        throw new AssertionError("no error");
    }

    private byte[] call(String method, MessageLite request) {
        return call("demo", method, request);
    }

    private byte[] call(String project, String method, MessageLite request) {
        return service.call(
                        new ServiceCall(
                                method,
                                request.toByteArray(),
                                CallingApp.of(project),
                                Cancellation.never()))
                .join();
    }

    private static ByteString png(int width, int height) {
        BufferedImage image = new BufferedImage(width, height, BufferedImage.TYPE_INT_RGB);
        for (int y = 0; y < height; y++) {
            for (int x = 0; x < width; x++) {
                image.setRGB(x, y, 0xFF0000);
            }
        }
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try {
            ImageIO.write(image, "png", bytes);
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
        return ByteString.copyFrom(bytes.toByteArray());
    }

    /** The project demo has one blob. */
    private static final class OneBlob implements ImageBlobs {
        @Override
        public OptionalLong bytes(String project, String blobKey) {
            return OptionalLong.of(RED.size());
        }

        @Override
        public Optional<byte[]> read(String project, String blobKey, int bytesMax) {
            return project.equals("demo") && blobKey.equals("blob")
                    ? Optional.of(RED.toByteArray())
                    : Optional.empty();
        }

        @Override
        public Optional<String> serve(String project, String blobKey) {
            return read(project, blobKey, 0).map(_ -> "http://images.example/" + blobKey);
        }

        @Override
        public boolean isServed(String project, String blobKey) {
            return false;
        }

        @Override
        public void stopServing(String project, String blobKey) {}
    }
}
