module gotap.test/frames

go 1.18
