"""Writes samples and what the images stub of Google's Python SDK makes of them."""
import io, os, sys, json
out=sys.argv[1]
from PIL import Image, ImageDraw
from google.appengine.api.images import images_stub, images_service_pb2 as pb
os.makedirs(out,exist_ok=True)
def sample(w,h,alpha):
    im=Image.new('RGBA' if alpha else 'RGB',(w,h))
    px=im.load()
    for y in range(h):
        for x in range(w):
            c=(x*255//(w-1), y*255//(h-1), (x*y)%256 if (x//8+y//8)%2 else 40)
            px[x,y]=c+((x*255//(w-1)),) if alpha else c
    d=ImageDraw.Draw(im); d.ellipse((w//4,h//4,w//2,h//2),fill=(250,20,30)+((255,) if alpha else ()))
    return im
photo=sample(96,64,False); glass=sample(64,64,True)
def save(im,name,**k): im.save(os.path.join(out,name),**k)
save(photo,'photo.png'); save(glass,'glass.png')
save(photo,'photo.gif'); save(photo,'photo.bmp'); save(photo,'photo.tiff',compression='tiff_lzw'); save(photo,'photo.webp',lossless=True); save(glass,'glass.ico',sizes=[(16,16),(32,32),(64,64)])
save(photo,'photo.jpg',quality=95)
save(photo.convert('CMYK'),'cmyk.jpg',quality=95)
for o in range(1,9):
    ex=Image.Exif(); ex[274]=o; ex[271]='Petrichor'; ex[36867]='2026:11:25 10:20:30'
    save(photo,'orientation%d.jpg'%o,quality=95,exif=ex)
stub=images_stub.ImagesServiceStub()
def transform(name,source,steps,**inp):
    r=pb.ImagesTransformRequest(); r.image.content=open(os.path.join(out,source),'rb').read()
    for s in steps:
        t=r.transform.add()
        for k,v in s.items(): setattr(t,k,v)
    r.output.mime_type=pb.OutputSettings.PNG
    for k,v in inp.items(): setattr(r.input,k,v)
    resp=pb.ImagesTransformResponse(); stub._Dynamic_Transform(r,resp)
    open(os.path.join(out,'expected-'+name+'.png'),'wb').write(resp.image.content)
for src in ('photo.png','photo.gif','photo.bmp','photo.tiff','photo.webp','photo.jpg','glass.png','glass.ico'):
    transform('read-'+src.replace('.','-'),src,[dict(crop_left_x=0.0,crop_right_x=1.0)])
transform('smaller','photo.png',[dict(width=33)])
transform('larger','photo.png',[dict(width=200,height=300)])
transform('height','photo.png',[dict(height=31)])
transform('inside','photo.png',[dict(width=40,height=40)])
transform('stretched','photo.png',[dict(width=40,height=50,allow_stretch=True)])
transform('cropped','photo.png',[dict(width=40,height=50,crop_to_fit=True)])
transform('cropped-left','photo.png',[dict(width=40,height=50,crop_to_fit=True,crop_offset_x=0.0,crop_offset_y=0.0)])
transform('glass-smaller','glass.png',[dict(width=20)])
transform('glass-rotated','glass.png',[dict(rotate=90)])
transform('glass-turned','glass.png',[dict(rotate=270)])
transform('upside-down','photo.png',[dict(rotate=180)])
transform('mirrored','photo.png',[dict(horizontal_flip=True)])
transform('flipped','photo.png',[dict(vertical_flip=True)])
transform('part','photo.png',[dict(crop_left_x=0.1,crop_top_y=0.25,crop_right_x=0.7,crop_bottom_y=0.9)])
transform('several','photo.png',[dict(crop_left_x=0.1,crop_right_x=0.7),dict(horizontal_flip=True),dict(width=30),dict(vertical_flip=True)])
for o in (1,2,3,4):
    transform('upright%d'%o,'orientation%d.jpg'%o,[dict(width=96)],correct_exif_orientation=1)
def composite(name,parts,w,h,color):
    r=pb.ImagesCompositeRequest()
    for s in ('photo.png','glass.png'): r.image.add().content=open(os.path.join(out,s),'rb').read()
    for (i,x,y,o,a) in parts:
        p=r.options.add(); p.source_index=i;p.x_offset=x;p.y_offset=y;p.opacity=o;p.anchor=a
    r.canvas.width=w;r.canvas.height=h;r.canvas.color=color;r.canvas.output.mime_type=pb.OutputSettings.PNG
    resp=pb.ImagesCompositeResponse(); stub._Dynamic_Composite(r,resp)
    open(os.path.join(out,'expected-'+name+'.png'),'wb').write(resp.image.content)
composite('anchors',[(0,0,0,1.0,0),(1,5,-3,1.0,8),(0,7,9,0.5,4)],150,120,-1)
composite('outside',[(0,-20,-30,1.0,0),(1,10,10,1.0,2)],100,90,0xFF204060-(1<<32))
r=pb.ImagesHistogramRequest(); r.image.content=open(os.path.join(out,'photo.png'),'rb').read()
resp=pb.ImagesHistogramResponse(); stub._Dynamic_Histogram(r,resp)
open(os.path.join(out,'expected-histogram.txt'),'w').write('\n'.join(' '.join(map(str,c)) for c in (resp.histogram.red,resp.histogram.green,resp.histogram.blue))+'\n')
