module automatic-rostering.example/sandbox

go 1.26
